import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { clientFor, file, type Loopback, resolvingTo, serve, serveBytes, stopServers } from './loopback.ts';

afterAll(stopServers);

const query = 'X-Signature=f00dbabe';
const urlOf = ({ port }: Loopback): string => `http://registry.example:${port}/file.tgz?${query}`;
const credentials = { username: 'ci', password: 'only-for-the-upstream' };

/** Fetches a file from a server that sends these bytes, and reads it after a while. */
const fetchFrom = async (answer: string | ((socket: Socket) => void), readsAfter = 0): Promise<Buffer> => {
  const server = await serveBytes(typeof answer === 'string' ? (socket) => socket.end(answer) : answer);
  const client = clientFor(urlOf(server), { credentials: async () => credentials });
  const { body } = await client.request(urlOf(server), file());
  await pause(readsAfter);
  return buffer(body);
};

const head = 'HTTP/1.1 200 OK\r\n';
const resetAfter = (bytes: string) => (socket: Socket) => {
  socket.write(bytes);
  setTimeout(() => socket.resetAndDestroy(), 30);
};

describe('an answer that breaks off', () => {
  const broken: [string, string | ((socket: Socket) => void)][] = [
    ['before its Content-Length', `${head}Content-Length: 7\r\n\r\nabcdef`],
    ['in the middle of a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n9\r\nabc`],
    ['without its last chunk', `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`],
    ['by a reset', resetAfter(`${head}Content-Length: 7\r\n\r\nabc`)],
    ['by a reset, when only its end would tell its length', resetAfter(`${head}\r\nabc`)],
  ];

  it.each(broken)('%s is interrupted', async (_, answer) => {
    await expect(fetchFrom(answer)).rejects.toMatchObject({
      kind: 'interrupted',
      status: 200,
      message: expect.stringMatching(/^registry\.example:\d+ broke its answer off: ECONNRESET \(HTTP 200\)\.$/),
    });
  });

  it.each(broken)('%s is interrupted for a reader that comes later, and ends no process', async (_, answer) => {
    await expect(fetchFrom(answer, 100)).rejects.toMatchObject({ kind: 'interrupted' });
  });

  it('fails a pipeline that starts later', async () => {
    const server = await serveBytes((socket) => socket.end(`${head}Content-Length: 7\r\n\r\nabc`));
    const { body } = await clientFor(urlOf(server)).request(urlOf(server), file());
    await pause(50);
    await expect(pipeline(body, new PassThrough().resume())).rejects.toMatchObject({ kind: 'interrupted' });
  });
});

describe('an answer that ends as HTTP has it', () => {
  it.each([
    ['at its Content-Length', `${head}Content-Length: 3\r\n\r\nabc`],
    ['at its last chunk', `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`],
    ['with the connection', 'HTTP/1.0 200 OK\r\n\r\nabc'],
    ['after other answers in advance', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n${head}\r\nabc`],
    [
      'before the rest that it did not announce',
      `${head}Content-Length: 3\r\n\r\nabc${head}Content-Length: 3\r\n\r\nxyz`,
    ],
  ])('%s is read', async (_, answer) => {
    expect((await fetchFrom(answer)).toString()).toBe('abc');
  });
});

describe('an answer that is no HTTP', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['two lengths', `${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`],
    ['a length and chunks', `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`],
    ['a header that is none', `${head}X Y\r\n\r\nabc`],
    ['more than its Content-Length', `${head}Content-Length: 3\r\n\r\nabcdef`],
    ['a switch to another protocol', 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nabc'],
  ])('is refused: %s', async (_, answer) => {
    await expect(fetchFrom(answer)).rejects.toMatchObject({ kind: 'protocol' });
  });

  it('is unreachable when there is none at all', async () => {
    await expect(fetchFrom((socket) => socket.end())).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/^registry\.example:\d+ could not be reached: ECONNRESET\.$/),
    });
  });

  it('is unreachable when nobody listens', async () => {
    const { port } = await serve(() => undefined);
    stopServers();
    const url = `http://registry.example:${port}/`;
    await expect(clientFor(url).request(url, file())).rejects.toMatchObject({
      kind: 'unreachable',
      message: `registry.example:${port} could not be reached: ECONNREFUSED.`,
    });
  });
});

describe('the headers of an answer', () => {
  const withHeaders = (bytes: number): string => `${head}X: ${'x'.repeat(bytes)}\r\nContent-Length: 3\r\n\r\nabc`;

  it('may have 32 kB', async () => {
    expect((await fetchFrom(withHeaders(32_600))).toString()).toBe('abc');
  });

  it.each([
    ['one header of more', withHeaders(32_800)],
    ['many headers of more', `${head}${'X-Name: value\r\n'.repeat(3_000)}\r\nabc`],
    ['headers without end', (socket: Socket) => socket.write(`${head}X: ${'x'.repeat(200_000)}`)],
  ])('are refused: %s', async (_, answer) => {
    await expect(fetchFrom(answer)).rejects.toMatchObject({
      kind: 'too-large',
      message: expect.stringMatching(/^registry\.example:\d+ sent too many headers\.$/),
    });
  });
});

describe('an error', () => {
  it.each<[string, string | ((socket: Socket) => void), string[]]>([
    ['of the connection', (socket) => socket.destroy(), ['127.0.0.1']],
    ['of the answer', 'HTTP/1.1 200 OK\r\nX Y\r\n\r\n', ['127.0.0.1']],
    ['of the headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}`, ['127.0.0.1']],
    ['of the body', `${head}Content-Length: 3\r\n\r\nab`, ['127.0.0.1']],
    ['of the address', '', ['127.0.0.1', '10.11.12.13']],
    ['of a redirect', 'HTTP/1.1 302 Found\r\nLocation: ftp://x/?X-Signature=f00dbabe\r\n\r\n', ['127.0.0.1']],
    ['of a redirect to a user', 'HTTP/1.1 302 Found\r\nLocation: //a:f00dbabe@b.example/\r\n\r\n', ['127.0.0.1']],
  ])('%s shows no credential, no query and no address', async (_, answer, addresses) => {
    const server = await serveBytes((socket) => (typeof answer === 'string' ? socket.end(answer) : answer(socket)));
    const client = clientFor(urlOf(server), {
      credentials: async () => credentials,
      resolver: resolvingTo(...addresses),
    });
    const error: unknown = await client
      .request(urlOf(server), file())
      .then(({ body }) => buffer(body))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'UpstreamError' });
    const shown = inspect(error, { depth: 20, showHidden: true });
    const basic = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    for (const secret of [credentials.password, basic, 'f00dbabe', '10.11.12.13']) expect(shown).not.toContain(secret);
  });
});
