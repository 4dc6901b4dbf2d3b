import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionPool } from './connection-pool.ts';
import type { Limits } from './limits.ts';
import type { Lent } from './origin-connections.ts';
import type { Target } from './target.ts';
import { startTimeLimit } from './time-limit.ts';
import { abortedError, UpstreamError, upstreamErrorOf } from './upstream-error.ts';

/** One request, without the redirects that may follow. */
export interface Hop {
  readonly target: Target;
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** The body of a POST. */
  readonly sent?: Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly onHang?: (() => void) | undefined;
}

/** The maximum size of the headers of an answer in bytes. Node counts names and values. */
const maxHeaderSize = 32 * 1024;

/** As Node makes it of a host and a port (RFC 9110 section 7.2). */
const hostHeader = ({ host, url: { port } }: Target): string =>
  (host.includes(':') ? `[${host}]` : host) + (port && `:${port}`);

/** Without an agent, Node closes the connection after one exchange unless a header says otherwise. */
const optionsOf = ({ target, method, headers }: Hop, socket: Socket): RequestOptions => ({
  path: target.url.pathname + target.url.search,
  method,
  headers: { ...headers, host: hostHeader(target), connection: 'keep-alive' },
  createConnection: () => socket,
  maxHeaderSize,
});

/** Ends a request whose answer takes too long or that its caller aborts. The returned function stops the watching. */
const watch = (request: ClientRequest, { target: { url }, limits, signal, onHang = () => {} }: Hop): (() => void) => {
  const { firstByteMilliseconds, hangMilliseconds } = limits;
  const predicate = `sent no answer within ${firstByteMilliseconds / 1_000} seconds`;
  const stopTimer = startTimeLimit(firstByteMilliseconds, () =>
    request.destroy(new UpstreamError('timeout', url, predicate)),
  );
  const hang = setTimeout(onHang, hangMilliseconds);
  const abort = (): void => {
    request.destroy(abortedError(url, signal.reason));
  };
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return () => {
    stopTimer();
    clearTimeout(hang);
    signal.removeEventListener('abort', abort);
  };
};

/** Begins a request on a connection. Node throws at once if a header of it cannot be sent. */
const requestOn = ({ socket, giveBack }: Lent, hop: Hop): ClientRequest => {
  try {
    return httpRequest(optionsOf(hop, socket));
  } catch (error) {
    giveBack(0);
    throw error;
  }
};

/** How long a server says that it keeps a connection, in seconds (RFC 2068 section 19.7.1.1, which servers follow). */
const keptSecondsOf = (answer: IncomingMessage | undefined): number => {
  const [, seconds] = /timeout=(\d+)/i.exec(String(answer?.headers['keep-alive'])) ?? [];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds);
};

/**
 * Sends one request and returns the answer as soon as its headers are there. It follows no redirect. The connection goes back
 * to the pool when the answer was read to its end.
 */
export const exchange = async (pool: ConnectionPool, hop: Hop, isFresh = false): Promise<IncomingMessage> => {
  const { target, limits, signal, onHang } = hop;
  const { connectMilliseconds, hangMilliseconds } = limits;
  const wish = { connectMilliseconds, hangMilliseconds, isFresh, signal, onHang };
  const lent = await pool.lend(target, wish);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { url } = target;
  const request = requestOn(lent, hop);
  const stopWatching = watch(request, hop);
  let answer: IncomingMessage | undefined;
  request.once('response', (message) => {
    stopWatching();
    answer = message;
    resolve(message);
  });
  // Without a listener, Node closes the connection of a 101 silently.
  request.once('upgrade', () => {
    stopWatching();
    lent.socket.destroy();
    reject(new UpstreamError('protocol', { host: url.host, status: 101 }, 'switched to another protocol'));
  });
  request.on('error', (error) => {
    stopWatching();
    // Node treats a reset as the end of a body without a length: half a file would pass for the whole file.
    answer?.destroy(error);
    reject(upstreamErrorOf(error, url));
  });
  request.once('close', () => lent.giveBack(keptSecondsOf(answer)));
  request.end(hop.sent);
  return promise;
};
