import { runInNewContext } from 'node:vm';
import { edgeFunctionCode } from '../../infra/edge-function.ts';

interface ViewerRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, { readonly value: string }>>;
}

/** Runs the function as CloudFront does: its import is a global here, and the origin is `api` unless it chooses another. */
const choose = (method: string, headers: ViewerRequest['headers'] = {}) => {
  const chosen: string[] = [];
  const cf = { selectRequestOriginById: (id: string) => chosen.push(id) };
  const code = edgeFunctionCode.replace("import cf from 'cloudfront';", '');
  const handler = runInNewContext(`${code}; handler`, { cf }) as (event: object) => ViewerRequest;
  const request = { method, uri: '/npm/a/b', headers: { ...headers } };
  const passed = handler({ version: '1.0', viewer: { ip: '203.0.113.9' }, request });
  return { origin: chosen.join() || 'api', passed };
};
const ofLength = (value: string) => ({ 'content-length': { value } });

describe('The function of CloudFront', () => {
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

  it('is as small as CloudFront wants it', () => {
    expect(Buffer.byteLength(edgeFunctionCode)).toBeLessThan(10_000);
  });
});
