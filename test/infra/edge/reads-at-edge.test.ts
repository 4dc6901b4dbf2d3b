import { endpoints, isPackageRead } from '../../../functions/endpoints.ts';
import { gatewayResponses } from '../../../infra/api/gateway-responses.ts';
import { isOpen, methodsOf } from '../../../shared/http/contract.ts';
import { findRoute } from '../../../shared/http/routes.ts';
import { edgeFunction, type OwnAnswer, type ViewerHeader } from './viewer-request.ts';

const handle = edgeFunction(true);
const routes = endpoints.flatMap((endpoint) =>
  methodsOf(endpoint).map((method) => ({ method, path: endpoint.path, endpoint })),
);

const credential = { authorization: { value: 'Bearer x' } };
const ask = (method: string, uri: string, headers: Readonly<Record<string, ViewerHeader>> = {}) =>
  handle({ method, uri, headers });

const refusalOf = (...args: Parameters<typeof ask>): OwnAnswer | undefined => {
  const { passed } = ask(...args);
  return 'statusCode' in passed ? passed : undefined;
};

/** The endpoint that API Gateway and the front find; undefined if there is none, or if an escape in the path is wrong. */
const endpointOf = (method: string, uri: string) => {
  try {
    return findRoute(routes, method, uri)?.route.endpoint;
  } catch {
    return undefined;
  }
};

/** A path of an endpoint, with something in each parameter. */
const filled = (path: string): string => path.replaceAll(/\{\w+\+\}/g, 'a%2Fb/c').replaceAll(/\{\w+\}/g, '%40a%3F');

describe('A read of packages at CloudFront', () => {
  it('goes to the front, by GET and HEAD, and nothing else does', () => {
    for (const { method, path, endpoint } of routes) {
      const origin = isPackageRead(endpoint) ? 'packages' : 'api';
      const sent = { ...credential, 'content-length': { value: '1' } };
      expect([method, path, ask(method, filled(path), sent).origin]).toEqual([method, path, origin]);
    }
    for (const method of ['OPTIONS', 'DELETE', 'get', 'TRACE'])
      expect([method, ask(method, '/npm/a/b/c', credential).origin]).toEqual([method, 'api']);
  });

  it('takes the credential along in a header of its own, whatever the client says in it', () => {
    const headers = {
      ...credential,
      'x-stockroom-authorization': { value: 'Bearer stolen' },
      accept: { value: '*/*' },
    };
    expect(ask('GET', '/npm/a/b/c', headers).passed).toEqual({
      method: 'GET',
      uri: '/npm/a/b/c',
      headers: {
        accept: { value: '*/*' },
        'x-stockroom-viewer': { value: '203.0.113.9' },
        'x-stockroom-authorization': { value: 'Bearer x' },
      },
    });
  });

  it('takes along each of several credentials, so that the front refuses them as the API does', () => {
    const several = { value: 'Bearer x', multiValue: [{ value: 'Bearer x' }, { value: 'Basic eQ==' }] };
    expect(ask('GET', '/npm/a/b/c', { authorization: several }).passed.headers).toMatchObject({
      'x-stockroom-authorization': { value: 'Bearer x,Basic eQ==' },
    });
  });

  it('is the only request that has that header', () => {
    const forged = { ...credential, 'x-stockroom-authorization': { value: 'Bearer stolen' } };
    for (const [method, path] of [
      ['PUT', '/npm/a/b/c'],
      ['GET', '/1/users/me'],
      ['GET', '/v2'],
      ['GET', '/nowhere'],
    ] as const) {
      const { passed } = ask(method, path, { ...forged, 'content-length': { value: '1' } });
      expect(passed.headers).not.toHaveProperty('x-stockroom-authorization');
      expect(passed.headers).toMatchObject(credential);
    }
  });
});

describe('Without a credential, CloudFront', () => {
  it('answers a read of packages itself, as API Gateway does: 401 with the challenge that clients wait for', () => {
    const { statusCode, responseParameters, responseTemplates } = gatewayResponses.UNAUTHORIZED;
    const expected = Object.entries(responseParameters).map(([name, value]) => [
      name.replace('gatewayresponse.header.', '').toLowerCase(),
      { value: value === 'context.requestId' ? 'id==' : value.slice(1, -1) },
    ]);
    for (const path of ['/maven/a/b/c/d.jar', '/npm/a/b/%40c%2Fd', '/v2/', '/v2', '/v2/a/b/c/manifests/1']) {
      const refusal = refusalOf('GET', path);
      expect([path, refusal?.statusCode, refusal?.headers]).toEqual([path, statusCode, Object.fromEntries(expected)]);
      expect(refusal?.body.data).toBe(responseTemplates['application/json']?.replace('$context.requestId', 'id=='));
    }
    expect(refusalOf('HEAD', '/maven/a/b/c', { authorization: { value: '' } })?.headers).toMatchObject({
      'www-authenticate': { value: 'Basic realm="stockroom", charset="UTF-8"' },
    });
  });

  it('answers each route of packages that needs one, and no other', () => {
    for (const { method, path, endpoint } of routes) {
      const isChallenged = isPackageRead(endpoint) || endpoint.path === '/v2';
      const length = { 'content-length': { value: '1' } };
      expect([method, path, refusalOf(method, filled(path), length)?.statusCode]).toEqual([
        method,
        path,
        isChallenged ? 401 : undefined,
      ]);
    }
    expect(routes.filter(({ endpoint }) => isPackageRead(endpoint) && isOpen(endpoint))).toEqual([]);
  });

  it('still opens no dialog for a password in a browser', () => {
    const shown = { 'sec-fetch-dest': { value: 'document' } };
    expect(refusalOf('GET', '/pypi/a/b/simple/', shown)?.headers).not.toHaveProperty('www-authenticate');
  });
});

describe('Whatever the path', () => {
  const random = (max: number): number => Math.floor(Math.random() * max);
  const words = [
    ...new Set(endpoints.flatMap(({ path }) => path.split('/').filter((part) => part !== '' && !part.startsWith('{')))),
  ];
  const odd = [
    '',
    'a',
    '%41',
    '%2F',
    '%2f',
    '%',
    '%ff',
    '%zz',
    '.',
    '..',
    '%2e',
    '+',
    '~',
    "'()*!",
    '%00',
    '%0A',
    'ü',
    '%C3%BC',
    'a%2Fb',
    ' ',
  ];
  /** A word as some client spells it: as it is, or with some letters encoded. */
  const spelled = (word: string): string =>
    random(4) === 0
      ? word.replaceAll(/[a-z]/g, (letter) => (random(2) === 0 ? letter : `%${letter.charCodeAt(0).toString(16)}`))
      : word;
  const part = (): string =>
    random(2) === 0 ? spelled(words[random(words.length)] ?? '') : (odd[random(odd.length)] ?? '');
  const path = (): string => {
    const route = routes[random(routes.length)]?.path ?? '/';
    const begun = route.split('/').map((each) => (each.startsWith('{') || random(12) === 0 ? part() : spelled(each)));
    const more = Array.from({ length: random(3) }, part);
    return [...begun, ...more].join('/').replace(/^(?!\/)/, '/') + (random(6) === 0 ? '/' : '');
  };

  it('CloudFront sends to the front what the routes of the API say is a read, and nothing else', () => {
    let reads = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const [method, uri] = [random(4) === 0 ? 'HEAD' : 'GET', path()];
      const endpoint = endpointOf(method, uri);
      const isRead = endpoint !== undefined && isPackageRead(endpoint);
      if (isRead) reads += 1;
      expect([uri, ask(method, uri, credential).origin]).toEqual([uri, isRead ? 'packages' : 'api']);
      const isChallenged = isRead || endpoint?.path === '/v2';
      expect([uri, refusalOf(method, uri) !== undefined]).toEqual([uri, isChallenged]);
    }
    expect(reads).toBeGreaterThan(2_000);
  });

  it('CloudFront takes less than a tenth of a millisecond', () => {
    const long = `/npm/a/b/${'%2F'.repeat(2_000)}`;
    for (const uri of [long, `/1/workspaces/a/repositories/b/packages/${'/'.repeat(6_000)}`]) {
      const rounds = 200;
      const startedAt = performance.now();
      for (let round = 0; round < rounds; round += 1) ask('GET', uri, credential);
      // Of a long path a machine under load may take some times as much; a pattern that goes back takes thousands.
      expect((performance.now() - startedAt) / rounds).toBeLessThan(5);
    }
  });
});
