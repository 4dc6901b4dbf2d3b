import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ConnectionPool } from '../../../shared/upstream/connection-pool.ts';
import type { Wish } from '../../../shared/upstream/origin-connections.ts';
import type { Target } from '../../../shared/upstream/target.ts';
import type { UpstreamClient } from '../../../shared/upstream/upstream-client.ts';
import {
  clientFor,
  file,
  type Loopback,
  poolWith,
  resolvingTo,
  serve,
  serveConnections,
  stopServers,
} from './loopback.ts';

afterAll(stopServers);

const urlOf = ({ port }: Pick<Loopback, 'port'>): string => `http://registry.example:${port}/`;

const targetAt = (server: Loopback): Target => ({ url: new URL(urlOf(server)), host: 'registry.example' });

const wish = (fields: Partial<Wish> = {}): Wish => ({
  connectMilliseconds: 5_000,
  hangMilliseconds: 5_000,
  isFresh: false,
  signal: AbortSignal.timeout(5_000),
  ...fields,
});

/** Lends a connection and gives it back at once. */
const use = async (pool: ConnectionPool, server: Loopback, fields?: Partial<Wish>) => {
  const { socket, giveBack } = await pool.lend(targetAt(server), wish(fields));
  giveBack(Number.POSITIVE_INFINITY);
  return socket;
};

const read = async (client: UpstreamClient, url: string): Promise<string> =>
  text((await client.request(url, file())).body);

const plain = async (): Promise<Loopback> => serve((_request, response) => void response.end('reached'));

describe('A request that is repeated on a new connection', () => {
  it('has its turn among those that come without end', async () => {
    let resets = 0;
    const server = await serve(({ url, socket }, response) => {
      if (url === '/reset' && resets++ === 0) socket.resetAndDestroy();
      else setTimeout(() => response.end('reached'), 10);
    });
    const [home, until] = [urlOf(server), Date.now() + 4_000];
    const client = clientFor(home, { socketsMax: 2 });
    const answered = new AbortController();
    const others = Array.from({ length: 10 }, async () => {
      while (!answered.signal.aborted && Date.now() < until) await read(client, home);
    });
    expect(await read(client, `${home}reset`)).toBe('reached');
    const answeredAt = Date.now();
    answered.abort();
    await Promise.all(others);
    expect([resets, answeredAt < until]).toEqual([2, true]);
  });

  it('gets no connection that has been unused for more than a second', async () => {
    const [server, pool] = [await plain(), poolWith()];
    const aborted = new AbortController();
    const left = pool.lend(targetAt(server), wish({ signal: aborted.signal }));
    aborted.abort();
    await expect(left).rejects.toMatchObject({ kind: 'aborted' });
    for (let waits = 0; server.connections === 0 && waits < 100; waits += 1) await pause(10);
    await pause(50);
    const { socket } = await pool.lend(targetAt(server), wish({ isFresh: true }));
    expect(server.connections).toBe(1);
    socket.destroy();
    const second = new AbortController();
    const other = pool.lend(targetAt(server), wish({ signal: second.signal }));
    second.abort();
    await expect(other).rejects.toMatchObject({ kind: 'aborted' });
    await pause(1_100);
    await pool.lend(targetAt(server), wish({ isFresh: true }));
    expect(server.connections).toBe(3);
  });
});

describe('A connection is lent', () => {
  it('to nobody once it is closed, also before it could say so', async () => {
    const [server, pool] = [await plain(), poolWith()];
    const dead = await use(pool, server);
    dead.destroy();
    const next = await use(pool, server);
    expect([next.destroyed, next === dead]).toEqual([false, false]);
  });

  it('on after a request that Node could not send', async () => {
    const server = await plain();
    const client = clientFor(urlOf(server), { socketsMax: 2 });
    for (let times = 0; times < 3; times += 1)
      await expect(client.request(urlOf(server), file({ headers: { accept: 'text/Ω' } }))).rejects.toThrow(
        'Invalid character',
      );
    expect(await read(client, urlOf(server))).toBe('reached');
  });

  it('on after an answer that switches to another protocol', async () => {
    const server = await serveConnections((socket) => {
      socket.on('data', (bytes) => {
        const isOther = bytes.toString('latin1').startsWith('GET /other');
        socket.write(
          isOther
            ? 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n'
            : 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nreached',
        );
      });
    });
    const client = clientFor(urlOf(server), { socketsMax: 2 });
    for (let times = 0; times < 3; times += 1)
      await expect(client.request(`${urlOf(server)}other`, file())).rejects.toMatchObject({ kind: 'protocol' });
    expect(await read(client, urlOf(server))).toBe('reached');
  });

  it('not on if its server says in any case of letters that it closes it', async () => {
    const server = await serve((_request, response) =>
      response.setHeader('Keep-Alive', 'Timeout=1, Max=5').end('reached'),
    );
    const client = clientFor(urlOf(server));
    for (const _ of [1, 2]) expect(await read(client, urlOf(server))).toBe('reached');
    expect(server.connections).toBe(2);
  });
});

describe('Of an answer that nobody reads', () => {
  const refuse = async (answer: (response: ServerResponse) => void) => {
    const ended = Promise.withResolvers<boolean>();
    const server = await serve((_request, response) => {
      response.writeHead(404).once('close', () => ended.resolve(response.writableFinished));
      answer(response);
    });
    const client = clientFor(urlOf(server));
    const startedAt = Date.now();
    await client.request(urlOf(server), file());
    return { isWhole: await ended.promise, took: Date.now() - startedAt, client, server };
  };

  it('a short rest is read, and its connection is used again', async () => {
    const { isWhole, client, server } = await refuse((response) => response.end('x'.repeat(40_000)));
    await pause(50);
    await client.request(urlOf(server), file());
    expect([isWhole, server.connections]).toEqual([true, 1]);
  });

  it('a long rest is not read', async () => {
    const piece = Buffer.alloc(1_000_000);
    let pieces = 0;
    const { isWhole } = await refuse((response) => {
      const send = (): void => {
        pieces += 1;
        if (pieces < 1_000) response.write(piece, send);
        else response.end();
      };
      send();
    });
    // The system takes some pieces before anybody reads them.
    expect([isWhole, pieces < 20]).toEqual([false, true]);
  });

  it('a slow rest is waited for a second', async () => {
    const { isWhole, took } = await refuse((response) => response.write('x'));
    expect([isWhole, took > 900, took < 8_000]).toEqual([false, true, true]);
  });
});

describe('Of more origins than are known at once', () => {
  it('the one that was used least recently is forgotten', async () => {
    const [first, second, third] = [await plain(), await plain(), await plain()];
    const pool = poolWith({ originsMax: 2 });
    for (const server of [first, second, first, third, first]) await use(pool, server);
    expect(first.connections).toBe(1);
    await use(pool, second);
    expect(second.connections).toBe(2);
  });

  it('none is forgotten while it is used, so its bounds hold', async () => {
    const [first, second, third] = [await plain(), await plain(), await plain()];
    const pool = poolWith({ originsMax: 1, socketsMax: 1 });
    const { giveBack } = await pool.lend(targetAt(first), wish());
    for (const server of [second, third]) await use(pool, server);
    const waiting = use(pool, first);
    await pause(100);
    expect(first.connections).toBe(1);
    giveBack(Number.POSITIVE_INFINITY);
    await waiting;
    expect(first.connections).toBe(1);
  });
});

it('The addresses of a name are kept from their answer on', async () => {
  const found = resolvingTo('127.0.0.1');
  const server = await serve((_request, response) => response.setHeader('Connection', 'close').end('reached'));
  const slow = Object.assign(
    (...[name, done]: Parameters<typeof found>) => void setTimeout(() => found(name, done), 600),
  );
  const client = clientFor(urlOf(server), { resolver: slow, lookupMilliseconds: 500 });
  for (const _ of [1, 2]) expect(await read(client, urlOf(server))).toBe('reached');
  expect([server.connections, found.asked]).toEqual([2, ['registry.example']]);
});

/** Listens at 127.0.0.2, and accepts nobody until it is told to: the system keeps two connections and drops the first packet of others. */
const serveReluctantly = async () => {
  const accepts = new Int32Array(new SharedArrayBuffer(4));
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:http').createServer((_, response) => response.end('reached'));
    server.listen({ port: 0, host: '127.0.0.2', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(workerData, 0, 0);
    });`;
  const worker = new Worker(script, { eval: true, workerData: accepts });
  const [port] = (await once(worker, 'message')) as [number];
  const accept = (): void => {
    Atomics.store(accepts, 0, 1);
    Atomics.notify(accepts, 0);
  };
  return { port, accept, stop: async () => worker.terminate() };
};

it('The first of several addresses has time for a packet that is lost', async () => {
  const server = await serveReluctantly();
  const resolver = resolvingTo('127.0.0.2', '127.0.0.3');
  const settings = { allowedPrivate: ['127.0.0.0/8'], resolver: resolvingTo('127.0.0.2') };
  const others = Array.from({ length: 2 }, async () => read(clientFor(urlOf(server), settings), urlOf(server)));
  await pause(100);
  const wanted = read(clientFor(urlOf(server), { ...settings, resolver }), urlOf(server));
  setTimeout(server.accept, 500);
  try {
    expect(await Promise.all([wanted, ...others])).toEqual(['reached', 'reached', 'reached']);
  } finally {
    await server.stop();
  }
});
