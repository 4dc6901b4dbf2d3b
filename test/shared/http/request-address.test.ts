import type { APIGatewayProxyEvent } from 'aws-lambda';
import { basePathOf, baseUrlOf, parametersOf } from '../../../shared/http/request-address.ts';

/** The event of a request; what API Gateway makes of the parameters must not matter. */
const eventOf = (resource: string, path: string, basePath = ''): APIGatewayProxyEvent =>
  ({
    resource,
    path,
    pathParameters: { workspace: 'not this', repository: 'nor this', path: 'nor that' },
    headers: { Host: 'api.example.com', 'X-Forwarded-Proto': 'https' },
    requestContext: { path: basePath + path },
  }) as unknown as APIGatewayProxyEvent;

const greedy = '/npm/{workspace}/{repository}/{path+}';
const flat = '/1/workspaces/{workspace}';

describe('The parameters of a path', () => {
  it.each([
    [flat, '/1/workspaces/acme', { workspace: 'acme' }],
    [flat, '/1/workspaces/acme/', { workspace: 'acme' }],
    [flat, '/1/workspaces/a%2Fb%20c', { workspace: 'a/b c' }],
    [flat, '/1/workspaces/a%2520b', { workspace: 'a%20b' }],
    [flat, '/1/workspaces/a+b', { workspace: 'a+b' }],
    [greedy, '/npm/%77/r/x', { workspace: 'w', repository: 'r', path: 'x' }],
    [greedy, '/npm/w/r/@a%2fb', { workspace: 'w', repository: 'r', path: '@a%2fb' }],
    [greedy, '/npm/w/r/a%2520b/', { workspace: 'w', repository: 'r', path: 'a%2520b/' }],
    [greedy, '/npm/w/r/a//%zz', { workspace: 'w', repository: 'r', path: 'a//%zz' }],
    ['/docs', '/docs', {}],
  ])('of %s are taken from %s', (resource, path, parameters) => {
    expect(parametersOf(eventOf(resource, path))).toEqual(parameters);
  });

  it.each(['%', '%zz', '%ff'])('are refused where %s is no encoding', (segment) => {
    const refused = () => parametersOf(eventOf(flat, `/1/workspaces/${segment}`));
    expect(refused).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });
});

describe('The address of the API', () => {
  it.each([
    ['', 'https://api.example.com'],
    ['/prod', 'https://api.example.com/prod'],
  ])('has the base path "%s" of the request', (basePath, url) => {
    for (const path of ['/1/workspaces/acme', '/1/workspaces/acme/', '/']) {
      const event = eventOf(flat, path, basePath);
      expect([basePathOf(event), baseUrlOf(event)]).toEqual([basePath, url]);
    }
  });

  it('is the one that clients know, where the host name is that of a proxy', () => {
    process.env.PUBLIC_URL = 'https://packages.example.com';
    try {
      const event = eventOf(flat, '/1/workspaces/acme', '/prod');
      expect([basePathOf(event), baseUrlOf(event)]).toEqual(['', 'https://packages.example.com']);
    } finally {
      delete process.env.PUBLIC_URL;
    }
  });

  it('has no base path where another path than that of the request was called, and is encrypted unless a header says no', () => {
    const event = eventOf(flat, '/1/workspaces/acme');
    const elsewhere = {
      ...event,
      requestContext: { ...event.requestContext, path: '/something/else/that/is/much/longer' },
    };
    expect(basePathOf(elsewhere)).toBe('');
    expect(baseUrlOf({ ...event, headers: { host: 'a.example' } })).toBe('https://a.example');
    expect(baseUrlOf({ ...event, headers: { host: 'a.example', 'X-Forwarded-Proto': 'http' } })).toBe(
      'http://a.example',
    );
  });
});
