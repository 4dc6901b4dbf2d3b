import { endpoints } from '../../../functions/endpoints.ts';
import { edgeFunctionCode } from '../../../infra/edge/edge-function.ts';
import { edgeFunction, type OwnAnswer, type ViewerRequest } from './viewer-request.ts';

const ofLength = (value: string) => ({ 'content-length': { value } });
const shownIn = (value: string) => ({ 'sec-fetch-dest': { value } });

describe.each([false, true])('The function of CloudFront, and whether it knows the front for reads: %s', (hasFront) => {
  const handle = edgeFunction(hasFront);
  const choose = (method: string, headers: ViewerRequest['headers'] = {}, uri = '/npm/a/b') =>
    handle({ method, uri, headers });
  /** The answer of the function itself; undefined if it passes the request on. */
  const refusalOf = (...args: Parameters<typeof choose>): OwnAnswer | undefined => {
    const { passed } = choose(...args);
    return 'statusCode' in passed ? passed : undefined;
  };

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS'])('sends %s to the API', (method) => {
    expect(choose(method).origin).toBe('api');
    expect(choose(method, ofLength('5000000')).origin).toBe('api');
  });

  it.each(['POST', 'PUT', 'PATCH'])('sends a large body of %s to the door, and a small one to the API', (method) => {
    expect(choose(method, ofLength('4000000')).origin).toBe('api');
    expect(choose(method, ofLength('0')).origin).toBe('api');
    expect(choose(method, ofLength('4000001')).origin).toBe('door');
    expect(choose(method, ofLength('2000000000')).origin).toBe('door');
  });

  it('sends a body of a length that nobody says, or says strangely, to the door', () => {
    expect(choose('PATCH').origin).toBe('door');
    expect(choose('PUT', { 'transfer-encoding': { value: 'chunked' } }).origin).toBe('door');
    for (const length of ['', '-1', '1e3', '0x10', ' 10', '10, 10'])
      expect(choose('PUT', ofLength(length)).origin).toBe('door');
  });

  it('names the client, whatever the client says, and changes nothing else', () => {
    const headers = { 'x-stockroom-viewer': { value: '10.0.0.1' }, authorization: { value: 'Bearer x' } };
    const { passed } = choose('POST', headers);
    expect(passed).toEqual({
      method: 'POST',
      uri: '/npm/a/b',
      headers: { ...headers, 'x-stockroom-viewer': { value: '203.0.113.9' } },
    });
  });

  it('takes out what only the door may say, also of a small request that goes to the API', () => {
    const names = ['x-stockroom-upload', 'x-stockroom-upload-length', 'x-stockroom-body'];
    const said = Object.fromEntries(names.map((name) => [name, { value: 'ask' }]));
    const { origin, passed } = choose('PUT', { ...said, ...ofLength('1'), accept: { value: '*/*' } });
    expect(origin).toBe('api');
    expect(Object.keys(passed.headers)).toEqual(['content-length', 'accept', 'x-stockroom-viewer']);
  });

  it('opens no dialog for a password: it refuses a navigation without a credential, with no challenge', () => {
    for (const dest of ['document', 'iframe', 'frame', 'embed', 'object'])
      expect(refusalOf('GET', shownIn(dest))?.statusCode).toBe(401);
    const refusal = refusalOf('POST', shownIn('document'), '/pypi/acme/pypi-local');
    expect(refusal?.headers).toMatchObject({
      'content-type': { value: 'application/problem+json' },
      'content-security-policy': { value: "default-src 'none'; sandbox; frame-ancestors 'none'" },
      'x-request-id': { value: 'id==' },
    });
    expect(Object.keys(refusal?.headers ?? {})).not.toContain('www-authenticate');
    expect(JSON.parse(refusal?.body.data ?? '')).toMatchObject({ code: 'UNAUTHENTICATED', requestId: 'id==' });
  });

  it('refuses a navigation to every path that requires a credential, and to no other', () => {
    for (const { access, path, method } of endpoints)
      if (access !== 'public') expect(refusalOf(method, shownIn('document'), path)?.statusCode).toBe(401);
    const open = [
      '/',
      '/docs',
      '/docs/swagger-ui-5.35.0.js',
      '/openapi.json',
      '/healthz',
      '/readyz',
      '/nowhere',
      '/npmx',
    ];
    expect(open.filter((path) => refusalOf('GET', shownIn('document'), path))).toEqual([]);
  });

  it('refuses a navigation also where letters of the path are percent-encoded, and where slashes are repeated', () => {
    const spellings = [
      '/%70ypi/acme/files/simple/',
      '/%31/users',
      '/%6e%70m',
      '//npm/a/b',
      '/%2fnpm/a',
      '/1%2Fusers',
      '/np%6D/%ff/%zz',
    ];
    for (const path of spellings)
      expect([path, refusalOf('GET', shownIn('document'), path)?.statusCode]).toEqual([path, 401]);
    for (const path of ['/%64ocs', '//docs', '/%', '/%ff', '/x/%6epm/a', '/%256epm/a'])
      expect([path, refusalOf('GET', shownIn('document'), path)]).toEqual([path, undefined]);
  });

  it('passes the path on as it was sent', () => {
    expect(choose('GET', {}, '//%6epm/a').passed).toMatchObject({ uri: '//%6epm/a' });
  });

  it('passes on what no page shows, and what has a credential', () => {
    expect(refusalOf('GET')).toBeUndefined();
    expect(refusalOf('GET', shownIn('empty'))).toBeUndefined();
    expect(refusalOf('GET', { ...shownIn('document'), authorization: { value: 'Basic eA==' } })).toBeUndefined();
  });

  it('is as small as CloudFront wants it', () => {
    expect(Buffer.byteLength(edgeFunctionCode({ hasFront }))).toBeLessThan(10_000);
  });
});
