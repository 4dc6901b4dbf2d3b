import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { defaultMetadataLimits, readMetadata } from '../../../shared/upstream/read-metadata.ts';
import { clientFor, file, serve, stopServers } from './loopback.ts';

afterAll(stopServers);

const limits = { bytesMax: 300_000, ratioMax: 50, ratioFreeBytes: 10_000 };

/** Fetches metadata from a server that sends this body; `closed` comes when its connection has ended. */
const fetchFrom = async (content: Readable | Buffer, headers: OutgoingHttpHeaders = {}, of = limits) => {
  const closed = Promise.withResolvers<void>();
  const server = await serve((_request, response) => {
    response.on('close', closed.resolve).writeHead(200, headers);
    if (content instanceof Readable) content.pipe(response);
    else response.end(content);
  });
  const url = `http://registry.example:${server.port}/`;
  const response = await clientFor(url).request(url, { content: 'metadata', signal: new AbortController().signal });
  return { closed: closed.promise, read: async () => readMetadata(response, of) };
};

const endless = (piece: Buffer): Readable =>
  Readable.from(
    (function* pieces() {
      for (;;) yield piece;
    })(),
  );

const noise = Buffer.from(Array.from({ length: 20_000 }, (_, index) => Math.sin(index).toString(36)).join());

describe('metadata', () => {
  it.each([
    ['as it is', undefined, noise],
    ['with identity', 'identity', noise],
    ['with gzip', 'gzip', gzipSync(noise)],
    ['with an old name of gzip', 'X-GZip', gzipSync(noise)],
    ['with gzip in two members', 'gzip', Buffer.concat([gzipSync(noise.subarray(0, 9)), gzipSync(noise.subarray(9))])],
    ['with deflate', 'deflate', deflateSync(noise)],
    ['with brotli', 'br', brotliCompressSync(noise, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('is read %s', async (_, encoding, body) => {
    const { read } = await fetchFrom(body, encoding === undefined ? {} : { 'Content-Encoding': encoding });
    expect((await read()).equals(noise)).toBe(true);
  });

  it('may be empty', async () => {
    const { read } = await fetchFrom(Buffer.alloc(0), { 'Content-Length': 0 });
    expect(await read()).toHaveLength(0);
  });

  it('may be as large as the limit, and compress well while it is small', async () => {
    const { read } = await fetchFrom(gzipSync(Buffer.alloc(10_000)), { 'Content-Encoding': 'gzip' });
    expect(await read()).toHaveLength(10_000);
    const { read: readMost } = await fetchFrom(Buffer.alloc(300_000));
    expect(await readMost()).toHaveLength(300_000);
  });
});

describe('metadata is given up', () => {
  const tooLarge = {
    kind: 'too-large',
    status: 200,
    message: expect.stringMatching(/^registry\.example:\d+ sent metadata of more than 300000 bytes \(HTTP 200\)\.$/),
  };

  it('without a look when its Content-Length is beyond the limit', async () => {
    const { read, closed } = await fetchFrom(endless(Buffer.alloc(100)), { 'Content-Length': 300_001 });
    await expect(read()).rejects.toMatchObject(tooLarge);
    await closed;
  });

  it('when it is one byte beyond the limit', async () => {
    const { read } = await fetchFrom(Readable.from([Buffer.alloc(300_000), Buffer.alloc(1)]));
    await expect(read()).rejects.toMatchObject(tooLarge);
  });

  it.each([
    ['with chunks', {}],
    ['until the connection ends', { Connection: 'close', 'Transfer-Encoding': 'identity' }],
  ])('when it never ends, %s', async (_, headers) => {
    const { read, closed } = await fetchFrom(endless(Buffer.alloc(10_000)), headers);
    await expect(read()).rejects.toMatchObject(tooLarge);
    await closed;
  });

  it('when it never ends once inflated', async () => {
    const { read, closed } = await fetchFrom(endless(noise).pipe(createGzip()), { 'Content-Encoding': 'gzip' });
    await expect(read()).rejects.toMatchObject(tooLarge);
    await closed;
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(290_000))],
    ['deflate', deflateSync(Buffer.alloc(290_000))],
    ['br', brotliCompressSync(Buffer.alloc(290_000))],
  ])('when it is a bomb of %s, also below the limit', async (encoding, body) => {
    const { read } = await fetchFrom(body, { 'Content-Encoding': encoding });
    await expect(read()).rejects.toMatchObject({
      kind: 'too-large',
      message: expect.stringMatching(/ sent metadata that inflates more than 50 times \(HTTP 200\)\.$/),
    });
  });

  it.each([
    ['not what its encoding says', 'gzip', Buffer.from('{"name":"plain"}'), /cannot be inflated/],
    ['cut', 'gzip', gzipSync(noise).subarray(0, -20), /cannot be inflated/],
    ['damaged', 'gzip', gzipSync(noise).fill(7, 500, 600), /cannot be inflated/],
    ['not what its encoding says either', 'br', Buffer.from('{"name":"plain"}'), /cannot be inflated/],
    ['in an encoding that nobody asked for', 'zstd', noise, /in an unknown encoding/],
    ['encoded twice', 'gzip, gzip', gzipSync(gzipSync(noise)), /in an unknown encoding/],
    ['in an encoding that is a word of JavaScript', 'constructor', noise, /in an unknown encoding/],
  ])('when it is %s', async (_, encoding, body, sentence) => {
    const { read, closed } = await fetchFrom(body, { 'Content-Encoding': encoding });
    await expect(read()).rejects.toMatchObject({ kind: 'protocol', message: expect.stringMatching(sentence) });
    await closed;
  });

  it.each([
    ['plain', {}, noise],
    ['compressed', { 'Content-Encoding': 'gzip' }, gzipSync(noise)],
  ])('when its connection breaks off, %s', async (_, headers, body) => {
    const broken = Readable.from(
      (async function* pieces() {
        yield body.subarray(0, -10);
        throw new Error('broken');
      })(),
    );
    const server = await serve((_request, response) => {
      response.writeHead(200, headers);
      broken.on('error', () => setTimeout(() => response.destroy(), 20)).pipe(response);
    });
    const url = `http://registry.example:${server.port}/`;
    const response = await clientFor(url).request(url, file({ content: 'metadata' }));
    await expect(readMetadata(response, limits)).rejects.toMatchObject({ kind: 'interrupted' });
  });
});

describe('in production', () => {
  it('metadata may have 64 MB and inflate 200 times', () => {
    expect(defaultMetadataLimits).toMatchObject({ bytesMax: 67_108_864, ratioMax: 200 });
  });

  it('a megabyte of a bomb is enough to recognise it', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const { read } = await fetchFrom(bomb, { 'Content-Encoding': 'gzip' }, defaultMetadataLimits);
    await expect(read()).rejects.toMatchObject({ kind: 'too-large' });
  });
});
