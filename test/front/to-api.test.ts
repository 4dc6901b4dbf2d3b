import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { useService } from '../harness/service.ts';
import { askFront, hostOf } from './answers.ts';

/** What reaches the API. */
interface Received {
  readonly url: string | undefined;
  readonly method: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

describe('To the API', () => {
  const received: Received[] = [];
  let api: Server;
  let url: string;
  const variables: Record<string, string> = {};
  const service = useService({ hasFront: true, isOwn: true, environment: variables });

  beforeAll(async () => {
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { url: sent, method, headers } = request;
      received.push({ url: sent, method, headers, body: await buffer(request) });
      response.writeHead(207, { 'set-cookie': ['a=1', 'b=2'], 'x-own': 'yes', connection: 'close' }).end('answer');
    };
    api = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await new Promise((resolve) => api.once('listening', resolve));
    url = `http://127.0.0.1:${(api.address() as AddressInfo).port}/api`;
    variables.API_URL = url;
    await service.runner.reload();
  });

  afterAll(() => api.close());

  it('go method, path, query, credential and body byte for byte, and nothing of the connection', async () => {
    const path = '/npm/a%2Fb/%41/x%3Fy//z%25?q=a+b%20c&q=%2B&=';
    const body = Buffer.from([0, 255, 10, 13, 128]);
    const headers = {
      authorization: 'Basic dTpw',
      cookie: 'x=1; y=2',
      'x-stockroom-viewer': '1.2.3.4',
      'x-stockroom-edge': 'secret',
      'X-Stockroom-Console': '1',
      'x-forwarded-host': 'evil.example',
      'content-type': 'application/octet-stream',
      te: 'trailers',
    };
    const told = await askFront(service, { method: 'PUT', path, headers, body });
    const [{ headers: sent, ...request }] = received.splice(0) as [Received];
    expect(request).toEqual({ method: 'PUT', url: `/api${path}`, body });
    const { authorization, cookie } = headers;
    expect(sent).toMatchObject({ authorization, cookie, host: new URL(url).host, 'x-stockroom-console': '1' });
    expect(sent).toMatchObject({ 'x-stockroom-front': hostOf(service), 'content-type': 'application/octet-stream' });
    for (const name of ['x-stockroom-viewer', 'x-stockroom-edge', 'x-forwarded-host', 'x-forwarded-for', 'te'])
      expect([name, sent[name]]).toEqual([name, undefined]);
    expect([told.status, Buffer.from(told.body, 'base64').toString()]).toEqual([207, 'answer']);
    await askFront(service, { method: 'PUT', path, headers: { authorization: 'Basic dTpw' }, body });
    expect(received.splice(0)).toMatchObject([{ body }]);
    expect(told.headers).toMatchObject({ 'x-own': 'yes', 'set-cookie': ['a=1', 'b=2'] });
  });

  const latin1 = Buffer.from('caf\xe9;1\n', 'latin1');
  /** Text has U+FFFD in place of it, which has as many bytes. */
  const cut = Buffer.from('f09f9880', 'hex').subarray(0, 3);
  const utf8 = Buffer.from('café;1\n');
  const replaced = Buffer.from('{"readme":"caf\uFFFD"}');

  it.each([
    ['text/csv', utf8],
    ['application/xml', utf8],
    ['text/plain', Buffer.alloc(0)],
    ['application/json', replaced],
    ['application/json; charset=utf-8', replaced],
    ['application/octet-stream', latin1],
    ['application/octet-stream', cut],
  ])('goes a body of the type %s that is certainly as it was sent', async (mediaType, body) => {
    const headers = { 'content-type': mediaType };
    expect((await askFront(service, { method: 'PUT', path: '/x', headers, body })).status).toBe(207);
    expect(received.splice(0)).toMatchObject([{ body }]);
  });

  it.each([
    ['text/csv', latin1, {}],
    ['TEXT/plain; charset=iso-8859-1', latin1, {}],
    ['application/json', latin1, {}],
    ['text/csv', cut, {}],
    ['application/javascript', replaced, {}],
    ['application/json', replaced, { 'transfer-encoding': 'chunked' }],
    ['application/xml', latin1, { 'transfer-encoding': 'chunked' }],
  ])('goes no body of the type %s that may have been sent otherwise', async (mediaType, body, others) => {
    const headers = { 'content-type': mediaType, ...others };
    const told = await askFront(service, { method: 'PUT', path: '/x', headers, body });
    expect([told.status, received.splice(0)]).toEqual([400, []]);
    expect(JSON.parse(Buffer.from(told.body, 'base64').toString())).toMatchObject({
      code: 'REQUEST_INVALID',
      message: expect.stringContaining('application/octet-stream') as string,
    });
  });

  it('goes what has no endpoint, and the answer is 503 if there is none', async () => {
    expect((await askFront(service, { path: '/nowhere?x' })).status).toBe(207);
    expect(received.splice(0)[0]?.url).toBe('/api/nowhere?x');
    api.closeAllConnections();
    await new Promise((resolve) => api.close(resolve));
    const { status, body } = await askFront(service, { path: '/nowhere' });
    expect([status, JSON.parse(Buffer.from(body, 'base64').toString())]).toMatchObject([
      503,
      { code: 'SERVICE_UNAVAILABLE' },
    ]);
  });
});
