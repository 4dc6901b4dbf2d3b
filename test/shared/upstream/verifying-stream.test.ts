import { createHash } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Expectation, VerifyingStream } from '../../../shared/upstream/verifying-stream.ts';
import { clientFor, file, serve, stopServers } from './loopback.ts';

afterAll(stopServers);

const context = { host: 'registry.example', status: 200 };
const algorithms = ['md5', 'sha1', 'sha256', 'sha512'] as const;
const hashOf = (algorithm: string, content: Buffer): string => createHash(algorithm).update(content).digest('hex');

/** Passes pieces through, and says what came out at the other end. */
const pass = async (pieces: readonly Buffer[], expectation: Omit<Expectation, 'context'>) => {
  const out: Buffer[] = [];
  const stream = new VerifyingStream({ context, ...expectation });
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      out.push(chunk);
      done();
    },
  });
  const error = await pipeline(Readable.from(pieces), stream, sink).catch((thrown: unknown) => thrown);
  return { error, stream, out: Buffer.concat(out), ended: sink.writableFinished };
};

const pieces = ['first', ' second', '', ' third', ''].map((piece) => Buffer.from(piece));
const whole = Buffer.concat(pieces);
const promised = { sha256: hashOf('sha256', whole), sha512: hashOf('sha512', whole) };

describe('a file', () => {
  it('passes unchanged and is measured', async () => {
    const { error, stream, out } = await pass(pieces, { algorithms, hashes: promised, bytes: whole.length });
    expect(error).toBeUndefined();
    expect(out.toString()).toBe('first second third');
    expect(stream.measured).toEqual({
      bytes: 18,
      hashes: Object.fromEntries(algorithms.map((algorithm) => [algorithm, hashOf(algorithm, whole)])),
    });
  });

  it('has its SHA-256 when nothing is asked for', async () => {
    const { stream } = await pass(pieces, {});
    expect(stream.measured).toEqual({ bytes: 18, hashes: { sha256: promised.sha256 } });
  });

  it('may be empty', async () => {
    const { stream, out } = await pass([], { bytes: 0 });
    expect([stream.measured.hashes.sha256, out.length]).toEqual([hashOf('sha256', Buffer.alloc(0)), 0]);
  });

  it('may be promised in capitals', async () => {
    const { error } = await pass(pieces, { hashes: { sha1: hashOf('sha1', whole).toUpperCase() } });
    expect(error).toBeUndefined();
  });

  it('may repeat a piece, and be as large as the limit', async () => {
    const piece = Buffer.alloc(9, 'x');
    const { out } = await pass([piece, piece], { bytes: 18, bytesMax: 18 });
    expect(out.toString()).toBe('x'.repeat(18));
  });
});

describe('a file that is not the promised one', () => {
  it.each<[string, Omit<Expectation, 'context'>, string, string]>([
    ...algorithms.map((algorithm): [string, Omit<Expectation, 'context'>, string, string] => [
      `has another ${algorithm}`,
      { hashes: { ...promised, [algorithm]: hashOf(algorithm, Buffer.from('other')) } },
      'integrity',
      `sent a file whose ${algorithm} is not the promised one`,
    ]),
    [
      'is promised an empty hash',
      { hashes: { sha1: '' } },
      'integrity',
      'sent a file whose sha1 is not the promised one',
    ],
    ['is shorter', { bytes: 19 }, 'integrity', 'sent 18 of the 19 bytes that were promised'],
    ['is longer', { bytes: 17 }, 'integrity', 'sent more than the 17 bytes that were promised'],
    ['is too large', { bytesMax: 17 }, 'too-large', 'sent more than 17 bytes'],
  ])('because it %s never comes out whole', async (_, expectation, kind, predicate) => {
    const { error, stream, out, ended } = await pass(pieces, expectation);
    expect(error).toMatchObject({ kind, status: 200, message: `registry.example ${predicate} (HTTP 200).` });
    // What already makes it too long is not passed on; what is only known at the end holds the last piece back.
    const passes = predicate.startsWith('sent more') ? 'first' : 'first second';
    expect([out.toString(), ended]).toEqual([passes, false]);
    expect(() => stream.measured).toThrow('The file has not passed yet.');
  });

  it('does not come out at all when it is one piece', async () => {
    const { out } = await pass([whole], { hashes: { sha256: hashOf('sha256', Buffer.from('other')) } });
    expect(out).toHaveLength(0);
  });

  it('ends at once when it has no end', async () => {
    let sent = 0;
    const endless = Readable.from(
      (function* bytes() {
        for (;;) {
          sent += 1;
          yield Buffer.alloc(1_000);
        }
      })(),
    );
    const stream = new VerifyingStream({ context, bytesMax: 10_000 });
    const drain = new Writable({ write: (_chunk, _encoding, done) => done() });
    await expect(pipeline(endless, stream, drain)).rejects.toMatchObject({ kind: 'too-large' });
    expect(sent).toBeLessThan(100);
  });
});

describe('a file of an upstream', () => {
  const content = Buffer.alloc(3_000_000, 'package');
  const store = async (hashes: Expectation['hashes'], send: Buffer) => {
    const server = await serve((_request, response) => response.end(send));
    const url = `http://registry.example:${server.port}/file.tgz`;
    const response = await clientFor(url).request(url, file());
    let stored = 0;
    const stream = new VerifyingStream({ context: response.context, hashes });
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        stored += chunk.length;
        setImmediate(done);
      },
    });
    const error = await pipeline(response.body, stream, sink).catch((thrown: unknown) => thrown);
    return { error, stored };
  };

  it('arrives whole', async () => {
    expect(await store({ sha512: hashOf('sha512', content) }, content)).toEqual({
      error: undefined,
      stored: content.length,
    });
  });

  it('does not when one bit is another', async () => {
    const changed = Buffer.from(content);
    changed[7] = 0;
    const { error, stored } = await store({ sha512: hashOf('sha512', content) }, changed);
    expect(error).toMatchObject({ kind: 'integrity' });
    expect(stored).toBeLessThan(content.length);
  });
});
