import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Limits, limitsWithin } from '../../../shared/upstream/limits.ts';
import { PacedBody } from '../../../shared/upstream/paced-body.ts';
import type { UpstreamClient } from '../../../shared/upstream/upstream-client.ts';
import { clientFor as clientOf, file, type Loopback, serve, serveBytes, stopServers } from './loopback.ts';

afterAll(stopServers);

/** Long enough for a busy machine to stay below them where it should. */
const shortLimits: Limits = {
  connectMilliseconds: 500,
  firstByteMilliseconds: 500,
  hangMilliseconds: 200,
  paceMilliseconds: 500,
  paceBytes: 1_000,
  floorMilliseconds: 60_000,
  floorBytesPerSecond: 100_000,
};

const clientFor = (url: string, upstream: Parameters<typeof clientOf>[1] = {}): UpstreamClient =>
  clientOf(url, { limits: shortLimits, ...upstream });

const urlOf = ({ port }: Loopback, scheme = 'http'): string => `${scheme}://registry.example:${port}/`;

/** Runs and says how long it took. */
const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
};

/** Keeps the process from reading and from its timers. */
const stayBusy = (milliseconds: number): void => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
};

describe('in production an upstream', () => {
  it('has 10 seconds to connect, 10 to answer, 15 for every 16 kB of its body, and needs 100 kB a second after a minute', () => {
    expect(limitsWithin(20_000)).toEqual({
      connectMilliseconds: 10_000,
      firstByteMilliseconds: 10_000,
      hangMilliseconds: 3_000,
      paceMilliseconds: 15_000,
      paceBytes: 16_384,
      floorMilliseconds: 60_000,
      floorBytesPerSecond: 100_000,
    });
  });
});

describe('an upstream is given up when it', () => {
  const expectTimeout = async (run: () => Promise<unknown>, message: string, kind = 'timeout'): Promise<void> => {
    const took = await timed(() => expect(run()).rejects.toMatchObject({ kind, message }));
    expect(took).toBeGreaterThan(490);
    expect(took).toBeLessThan(5_000);
  };

  it.concurrent('is a name that nobody answers for', async () => {
    const client = clientFor('http://registry.example/', { resolver: () => undefined });
    await expectTimeout(
      () => client.request('http://registry.example/', file()),
      'registry.example could not be connected to within 0.5 seconds.',
      'unreachable',
    );
  });

  it.concurrent('accepts the connection and does not speak TLS', async () => {
    const server = await serveBytes(() => undefined);
    const url = urlOf(server, 'https');
    await expectTimeout(
      () => clientFor(url).request(url, file()),
      `registry.example:${server.port} could not be connected to within 0.5 seconds.`,
      'unreachable',
    );
  });

  it.concurrent('does not answer', async () => {
    const server = await serve(() => undefined);
    await expectTimeout(
      () => clientFor(urlOf(server)).request(urlOf(server), file()),
      `registry.example:${server.port} sent no answer within 0.5 seconds.`,
    );
  });

  it.concurrent('sends its headers a byte at a time', async () => {
    const server = await serveBytes((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX: ');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await expectTimeout(
      () => clientFor(urlOf(server)).request(urlOf(server), file()),
      `registry.example:${server.port} sent no answer within 0.5 seconds.`,
    );
  });

  it.concurrent.each([0, 1, 999, 1_000, 1_001, 5_000, 200_000])(
    'goes silent after %d bytes of its body',
    async (bytes) => {
      const server = await serve((_request, response) => {
        response.writeHead(200).flushHeaders();
        response.write('x'.repeat(bytes));
      });
      const { body } = await clientFor(urlOf(server)).request(urlOf(server), file());
      await expectTimeout(
        () => buffer(body),
        `registry.example:${server.port} sent less than 1000 bytes in 0.5 seconds (HTTP 200).`,
      );
    },
  );

  it.concurrent('sends its body a byte at a time', async () => {
    const server = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { body } = await clientFor(urlOf(server)).request(urlOf(server), file());
    await expectTimeout(
      () => buffer(body),
      `registry.example:${server.port} sent less than 1000 bytes in 0.5 seconds (HTTP 200).`,
    );
  });
});

/** A server that sends a piece of ten thousand bytes every 20 milliseconds, for two seconds. */
const steady = async (): Promise<Loopback> =>
  serve((_request, response) => {
    const timer = setInterval(() => response.write('x'.repeat(10_000)), 20);
    const end = setTimeout(() => response.end(), 2_000);
    response.on('close', () => {
      clearInterval(timer);
      clearTimeout(end);
    });
  });

describe('the floor of a whole body', () => {
  it.concurrent('ends what keeps the pace of each piece and would take for ever', async () => {
    const server = await steady();
    const limits = { ...shortLimits, floorMilliseconds: 600, floorBytesPerSecond: 10_000_000 };
    const { body } = await clientFor(urlOf(server), { limits }).request(urlOf(server), file());
    await expect(buffer(body)).rejects.toMatchObject({
      kind: 'timeout',
      message: `registry.example:${server.port} sent less than 10000000 bytes a second for 0.6 seconds (HTTP 200).`,
    });
  });

  it.concurrent('is none for what is fast enough, and none before its time', async () => {
    const [fast, short] = await Promise.all([steady(), steady()]);
    const read = async (server: Loopback, limits: Partial<Limits>) => {
      const client = clientFor(urlOf(server), { limits: { ...shortLimits, ...limits } });
      return (await buffer((await client.request(urlOf(server), file())).body)).length;
    };
    expect(await read(fast, { floorMilliseconds: 200, floorBytesPerSecond: 1_000 })).toBeGreaterThan(10_000);
    expect(await read(short, { floorBytesPerSecond: 10_000_000 })).toBeGreaterThan(10_000);
  });

  it.concurrent('does not count the time in which nobody reads', async () => {
    const server = await serve((_request, response) => response.end('x'.repeat(1_000_000)));
    const limits = { ...shortLimits, floorMilliseconds: 300, floorBytesPerSecond: 100_000_000 };
    const { body } = await clientFor(urlOf(server), { limits }).request(urlOf(server), file());
    let bytes = 0;
    for await (const chunk of body) {
      await pause(50);
      bytes += (chunk as Buffer).length;
    }
    expect(bytes).toBe(1_000_000);
  });
});

describe('an upstream is not given up when it', () => {
  it.concurrent('keeps the pace, however long it takes in all', async () => {
    const server = await serve((_request, response) => {
      let pieces = 0;
      const timer = setInterval(() => {
        pieces += 1;
        if (pieces < 11) response.write('x'.repeat(1_000));
        else response.end(() => clearInterval(timer));
      }, 100);
    });
    const { body } = await clientFor(urlOf(server)).request(urlOf(server), file());
    let read = Buffer.alloc(0);
    expect(
      await timed(async () => {
        read = await buffer(body);
      }),
    ).toBeGreaterThan(shortLimits.paceMilliseconds * 1.9);
    expect(read).toHaveLength(10_000);
  });

  it('sent in time what this process was too busy to read', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200).flushHeaders();
      setTimeout(() => {
        response.write('x'.repeat(1_000));
        process.nextTick(stayBusy, shortLimits.paceMilliseconds + 100);
        setTimeout(() => response.end('end'), 100);
      }, 100);
    });
    const { body } = await clientFor(urlOf(server)).request(urlOf(server), file());
    await expect(buffer(body)).resolves.toHaveLength(1_003);
  });

  it('answered in time while this process was too busy to read', async () => {
    const server = await serve((_request, response) => {
      response.end('answer');
      process.nextTick(stayBusy, shortLimits.firstByteMilliseconds + 100);
    });
    const { body } = await clientFor(urlOf(server)).request(urlOf(server), file());
    await expect(buffer(body)).resolves.toHaveLength(6);
  });

  it.concurrent('waits for a reader that is slow itself', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const server = await serve((_request, response) => {
      for (let pieces = 0; pieces < 64; pieces += 1) response.write(piece);
      setTimeout(() => response.end('end'), 200);
    });
    const limits = { ...shortLimits, paceBytes: 10_000_000 };
    const { body } = await clientFor(urlOf(server), { limits }).request(urlOf(server), file());
    await pause(shortLimits.paceMilliseconds + 200);
    let bytes = 0;
    for await (const chunk of body) {
      if (bytes === 0) await pause(shortLimits.paceMilliseconds + 200);
      bytes += chunk.length;
    }
    expect(bytes).toBe(64 * piece.length + 3);
  });
});

describe('a reader that does not read', () => {
  it('leaves the body with the upstream', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200);
      const write = (): void => {
        while (response.write(Buffer.alloc(100_000)));
        response.once('drain', write);
      };
      write();
    });
    const { body } = await clientFor(urlOf(server)).request(urlOf(server), file());
    await once(body, 'readable');
    await pause(100);
    expect(body.readableLength).toBeLessThan(1_000_000);
    body.destroy();
  });
});

describe('the signal of the caller ends', () => {
  const reason = new Error('the client went away');
  const aborted = { kind: 'aborted', cause: reason };

  it('a request before it is sent', async () => {
    const server = await serve((_request, response) => response.end());
    const signal = AbortSignal.abort(reason);
    await expect(clientFor(urlOf(server)).request(urlOf(server), file({ signal }))).rejects.toMatchObject(aborted);
  });

  it.each([
    ['the name is looked up', 'http', { resolver: () => undefined }],
    ['TLS is spoken', 'https', {}],
    ['the answer is awaited', 'http', {}],
  ])('a request while %s', async (_, scheme, upstream) => {
    const server = await serveBytes(() => undefined);
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 50);
    const url = urlOf(server, scheme);
    await expect(clientFor(url, upstream).request(url, file({ signal: controller.signal }))).rejects.toMatchObject(
      aborted,
    );
  });

  it.each([
    ['while it is read', 0],
    ['before anybody reads it', 100],
  ])('a body %s', async (_, readsAfter) => {
    const closed = Promise.withResolvers<void>();
    const server = await serve((_request, response) => {
      response.on('close', closed.resolve).writeHead(200).write('x');
    });
    const controller = new AbortController();
    const { body } = await clientFor(urlOf(server)).request(urlOf(server), file({ signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 50);
    await pause(readsAfter);
    await expect(buffer(body)).rejects.toMatchObject({
      ...aborted,
      message: `registry.example:${server.port} was given up by the caller before its answer was complete (HTTP 200).`,
    });
    await closed.promise;
  });

  it('a body whose answer came in the same moment', async () => {
    const server = await serve((_request, response) => response.end('whole'));
    const [message] = (await once(get(`http://127.0.0.1:${server.port}/`), 'response')) as [IncomingMessage];
    const body = new PacedBody(message, { host: 'registry.example' }, shortLimits, {
      signal: AbortSignal.abort(reason),
    });
    await expect(buffer(body)).rejects.toMatchObject(aborted);
  });

  it('nothing that has ended, and is not held on to', async () => {
    const server = await serve((_request, response) => response.end('whole'));
    const { signal } = new AbortController();
    const [add, remove] = [jest.spyOn(signal, 'addEventListener'), jest.spyOn(signal, 'removeEventListener')];
    const { body } = await clientFor(urlOf(server)).request(urlOf(server), file({ signal }));
    expect((await buffer(body)).toString()).toBe('whole');
    await pause(0);
    expect(add.mock.calls.map(([, listener]) => listener)).toEqual(remove.mock.calls.map(([, listener]) => listener));
  });
});
