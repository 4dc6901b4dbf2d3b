import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, isIP, type Server, type Socket } from 'node:net';
import { ConnectionPool, type PoolSettings } from '../../../shared/upstream/connection-pool.ts';
import { limitsWithin } from '../../../shared/upstream/limits.ts';
import type { Resolver } from '../../../shared/upstream/lookups.ts';
import { type Upstream, UpstreamClient } from '../../../shared/upstream/upstream-client.ts';
import type { Ask } from '../../../shared/upstream/upstream-response.ts';

/** A server on the loopback that counts who connected. */
export interface Loopback {
  readonly port: number;
  readonly connections: number;
}

const started = new Set<() => void>();

/** Where a server listens: on 127.0.0.1 and any port, if nothing else is said. */
interface Place {
  readonly address?: string;
  readonly port?: number;
}

const listen = async (server: Server, { address = '127.0.0.1', port = 0 }: Place = {}): Promise<Loopback> => {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => undefined));
  });
  server.listen(port, address);
  await once(server, 'listening');
  started.add(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
  };
};

/** Serves HTTP until the suite ends. */
export const serve = async (listener: RequestListener, place?: Place): Promise<Loopback> =>
  listen(createHttpServer(listener), place);

/** Serves HTTPS until the suite ends. */
export const serveSecurely = async (
  identity: { readonly key: string; readonly cert: string },
  listener: RequestListener,
): Promise<Loopback> => listen(createHttpsServer(identity, listener));

/** Answers the first bytes of each connection with whatever bytes, HTTP or not. */
export const serveBytes = async (answer: (socket: Socket) => void): Promise<Loopback> =>
  listen(createServer((socket) => socket.once('data', () => answer(socket))));

/** Does with each connection whatever it likes. */
export const serveConnections = async (meet: (socket: Socket) => void): Promise<Loopback> => listen(createServer(meet));

/** Ends all servers of the suite. */
export const stopServers = (): void => {
  for (const stop of started) stop();
  started.clear();
};

/** Resolves every name to the same addresses, and remembers the names. */
export const resolvingTo = (...addresses: readonly string[]) => {
  const asked: string[] = [];
  const resolver: Resolver = (name, done) => {
    asked.push(name);
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    setImmediate(() => done(null, found));
  };
  return Object.assign(resolver, { asked });
};

/** A pool whose names all resolve to the loopback, which is permitted as an address. */
export const poolWith = (settings: Partial<PoolSettings> = {}): ConnectionPool =>
  new ConnectionPool({ allowedPrivate: ['127.0.0.1'], resolver: resolvingTo('127.0.0.1'), ...settings });

/** A client with a pool of its own, unless it gets one. */
export const clientFor = (url: string, settings: Partial<Upstream & PoolSettings> = {}): UpstreamClient => {
  const { pool = poolWith(settings) } = settings;
  return new UpstreamClient({ url, version: '1.2.3', limits: limitsWithin(20_000), ...settings, pool });
};

/** Makes clients that share one pool of connections, as all clients of a process do. */
export const clientsSharing = (settings: Partial<PoolSettings>) => {
  const pool = poolWith(settings);
  return (url: string, upstream: Partial<Upstream> = {}): UpstreamClient => clientFor(url, { ...upstream, pool });
};

/** A request for a file, which must not take ten seconds. */
export const file = (ask: Partial<Ask> = {}): Ask => ({ content: 'file', signal: AbortSignal.timeout(10_000), ...ask });
