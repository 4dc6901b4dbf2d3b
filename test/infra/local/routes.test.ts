import type { Route } from '../../../infra/local/routes.ts';
import { findRoute } from '../../../shared/http/routes.ts';

const routes: Route[] = [
  ['GET', '/1/workspaces/{workspace}'],
  ['GET', '/1/users/{user}'],
  ['GET', '/1/users/me'],
  ['POST', '/1/workspaces/{workspace}/repositories/local'],
  ['GET', '/1/workspaces/{workspace}/repositories/{repository}'],
  ['DELETE', '/1/workspaces/{workspace}/repositories/{repository}'],
  ['POST', '/1/workspaces/{workspace}/repositories/{repository}/members'],
  ['POST', '/1/workspaces/{workspace}/repositories/members/batch'],
  ['GET', '/npm/{workspace}/{repository}/{path+}'],
  ['GET', '/npm/{workspace}/{repository}/-/ping'],
  ['PUT', '/npm/{workspace}/{repository}/{path+}'],
  ['GET', '/{workspace}/about'],
].map(([method = '', path = '']) => ({ method, path, functionArn: `${method} ${path}`, authorizer: undefined }));

const find = (method: string, path: string): unknown[] | undefined => {
  const match = findRoute(routes, method, path);
  return match && [match.route.path, match.parameters];
};

describe('a route of the local gateway', () => {
  it.each([
    ['GET', '/acme/about', '/{workspace}/about', { workspace: 'acme' }],
    [
      'POST',
      '/1/workspaces/acme/repositories/local',
      '/1/workspaces/{workspace}/repositories/local',
      { workspace: 'acme' },
    ],
    [
      'GET',
      '/1/workspaces/acme/repositories/local',
      '/1/workspaces/{workspace}/repositories/{repository}',
      { workspace: 'acme', repository: 'local' },
    ],
    [
      'DELETE',
      '/1/workspaces/acme/repositories/members',
      '/1/workspaces/{workspace}/repositories/{repository}',
      { workspace: 'acme', repository: 'members' },
    ],
    [
      'POST',
      '/1/workspaces/acme/repositories/members/batch',
      '/1/workspaces/{workspace}/repositories/members/batch',
      { workspace: 'acme' },
    ],
    [
      'POST',
      '/1/workspaces/acme/repositories/members/members',
      '/1/workspaces/{workspace}/repositories/{repository}/members',
      { workspace: 'acme', repository: 'members' },
    ],
    ['GET', '/1/workspaces/a%2Fb%00', '/1/workspaces/{workspace}', { workspace: 'a%2Fb%00' }],
    ['GET', '/1/workspaces/acme/', '/1/workspaces/{workspace}', { workspace: 'acme' }],
    ['GET', '/1/users/me', '/1/users/me', {}],
    ['GET', '/1/users/you', '/1/users/{user}', { user: 'you' }],
    ['GET', '/npm/w/r/-/ping', '/npm/{workspace}/{repository}/-/ping', { workspace: 'w', repository: 'r' }],
    ['GET', '/npm/w/r/-/ping/', '/npm/{workspace}/{repository}/-/ping', { workspace: 'w', repository: 'r' }],
    [
      'PUT',
      '/npm/w/r/-/ping',
      '/npm/{workspace}/{repository}/{path+}',
      { workspace: 'w', repository: 'r', path: '-/ping' },
    ],
    [
      'GET',
      '/npm/w/r/@a%2fb/-/c.tgz/',
      '/npm/{workspace}/{repository}/{path+}',
      { workspace: 'w', repository: 'r', path: '@a%2fb/-/c.tgz' },
    ],
  ])('is found by method and path as one pair: %s %s', (method, path, route, parameters) => {
    expect(find(method, path)).toEqual([route, parameters]);
  });

  it.each([
    ['POST', '/1/workspaces/acme'],
    ['get', '/1/workspaces/acme'],
    ['GET', '/1/workspaces/acme//'],
    ['GET', '/npm/w/r'],
    ['GET', '/npm/w/r/'],
    ['GET', '/npm/w/r//'],
    ['GET', '/npm//r/a'],
    ['DELETE', '/npm/w/r/a'],
    ['GET', '/1/workspaces/'],
    ['GET', '//1/workspaces/acme'],
    ['GET', '/1/Workspaces/acme'],
    ['GET', '/1/workspaces/acme/repositories'],
  ])('is not found: %s %s', (method, path) => {
    expect(find(method, path)).toBeUndefined();
  });

  it('throws at what is no percent-encoding', () => {
    expect(() => find('GET', '/1/workspaces/%')).toThrow(URIError);
  });
});
