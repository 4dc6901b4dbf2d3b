import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { retryAfterSecondsOf } from '../../../shared/upstream/upstream-response.ts';
import { clientFor, file, serve, stopServers } from './loopback.ts';

afterAll(stopServers);

const seen: IncomingMessage[] = [];

/** A client and the URL of a server that answers with this status. */
const answering = async (status: number, headers: OutgoingHttpHeaders = {}) => {
  const server = await serve((request, response) => {
    seen.push(request);
    response.writeHead(status, headers).end(status === 304 ? undefined : `the body of ${status}`);
  });
  const url = `http://registry.example:${server.port}/a/@scope%2fname?q=%20x`;
  return { client: clientFor(url), url };
};

beforeEach(() => {
  seen.length = 0;
});

describe('a status', () => {
  it.each([200, 203, 206])('%d comes with its body', async (status) => {
    const { client, url } = await answering(status, { ETag: '"x"', 'X-Name': 'value' });
    const response = await client.request(url, file());
    expect(response).toMatchObject({ status, headers: { etag: '"x"', 'x-name': 'value' }, url: new URL(url) });
    expect(await text(response.body)).toBe(`the body of ${status}`);
  });

  it.each([304, 400, 401, 403, 404, 410, 416, 429, 500, 502, 503, 504])(
    '%d is an answer without one',
    async (status) => {
      const { client, url } = await answering(status, { 'WWW-Authenticate': 'Basic realm="x"' });
      const response = await client.request(url, file());
      expect(response).toMatchObject({ status, headers: { 'www-authenticate': 'Basic realm="x"' } });
      expect(await text(response.body)).toBe('');
    },
  );

  it('is all that HEAD asks for', async () => {
    const { client, url } = await answering(200, { 'Content-Length': 15 });
    const response = await client.request(url, file({ method: 'HEAD' }));
    expect([response.status, response.headers['content-length'], await text(response.body)]).toEqual([200, '15', '']);
    expect(seen[0]?.method).toBe('HEAD');
  });
});

describe('a request', () => {
  it('says who asks and what it takes, and nothing else', async () => {
    const { client, url } = await answering(200);
    (await client.request(url, file())).body.destroy();
    const { host } = new URL(url);
    expect(seen.map(({ url: path, headers }) => [path, headers])).toEqual([
      [
        '/a/@scope%2fname?q=%20x',
        {
          accept: '*/*',
          'accept-encoding': 'identity',
          'user-agent': 'stockroom/1.2.3',
          host,
          connection: 'keep-alive',
        },
      ],
    ]);
  });

  it('asks for compressed metadata, and for what was not seen yet', async () => {
    const { client, url } = await answering(304);
    const headers = { accept: 'application/json', 'if-none-match': '"x"', 'if-modified-since': undefined };
    await client.request(url, file({ content: 'metadata', headers }));
    expect(seen[0]?.headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'if-none-match': '"x"',
    });
    expect(seen[0]?.headers).not.toHaveProperty('if-modified-since');
  });

  it('sends no cookie that an answer set', async () => {
    const { client, url } = await answering(404, { 'Set-Cookie': ['a=b', 'c=d'] });
    const { headers } = await client.request(url, file());
    await client.request(url, file());
    expect(headers).not.toHaveProperty('set-cookie');
    expect(seen.map((request) => request.headers.cookie)).toEqual([undefined, undefined]);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T10:00:00.500Z');

  it.each([
    ['0', 0],
    ['120', 120],
    ['86401', 86_400],
    ['9'.repeat(400), 86_400],
    ['Sat, 21 Nov 2026 10:02:00 GMT', 120],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['Fri, 21 Nov 2036 10:00:00 GMT', 86_400],
  ])('%s is understood', (value, seconds) => {
    expect(retryAfterSecondsOf(value, now)).toBe(seconds);
  });

  it.each([undefined, '', '-5', '1.5', 'soon', '2026-11-21', 'Sat, 99 Nov 2026 10:02:00 GMT', '0x10'])(
    '%s is no time',
    (value) => {
      expect(retryAfterSecondsOf(value, now)).toBeUndefined();
    },
  );

  it.each([429, 503])('comes with %d, in seconds', async (status) => {
    const { client, url } = await answering(status, { 'Retry-After': '30' });
    expect(await client.request(url, file())).toMatchObject({ status, retryAfterSeconds: 30 });
  });

  it('comes as seconds when it was a date', async () => {
    const { client, url } = await answering(429, { 'Retry-After': new Date(Date.now() + 60_000).toUTCString() });
    const { retryAfterSeconds = 0 } = await client.request(url, file());
    expect(Math.abs(retryAfterSeconds - 60)).toBeLessThan(3);
  });
});
