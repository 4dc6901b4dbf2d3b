import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { type ClientRequest, type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Limits } from './limits.ts';
import { isPermittedAddress } from './public-hosts.ts';
import type { Target } from './target.ts';
import { abortedError, UpstreamError, upstreamErrorOf } from './upstream-error.ts';

/** Resolves a name to all of its addresses. */
export type Resolver = (name: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/** The resolver of the system. */
export const systemResolver: Resolver = (name, done) => lookUp(name, { all: true }, done);

/** The settings that all requests of one remote repository share. */
export interface Connections {
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  readonly resolver: Resolver;
  readonly allowedPrivate: readonly string[];
  readonly limits: Limits;
}

/** One request, without the redirects that may follow. */
export interface Hop {
  readonly target: Target;
  readonly method: 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** The maximum size of the headers of an answer in bytes. Node counts names and values. */
const maxHeaderSize = 32 * 1024;

/** One forbidden address makes all addresses of a name unusable, because Node tries them in turn. */
const unusable = (
  { url, host }: Target,
  addresses: LookupAddress[],
  allowed: readonly string[],
): UpstreamError | null => {
  if (addresses.length === 0) return new UpstreamError('unreachable', url, 'has no address');
  if (addresses.every(({ address }) => isPermittedAddress(address, host, allowed))) return null;
  return new UpstreamError('refused-address', url, 'resolves to an address that is not public');
};

/**
 * Node connects to exactly the addresses that this function returns, so a name that resolves to other addresses a moment
 * later gains nothing. They are a list, because autoSelectFamily wants all of them. Node does not call it for an address
 * in place of a name: that address is checked with the URL.
 */
const guardedLookup =
  ({ resolver, allowedPrivate }: Connections, target: Target): LookupFunction =>
  (_name, _options, done) =>
    resolver(target.host, (error, addresses) => done(error ?? unusable(target, addresses, allowedPrivate), addresses));

const optionsOf = (
  connections: Connections,
  { target, method, headers }: Hop,
): RequestOptions & { autoSelectFamily: true } => {
  const { url, host } = target;
  const agent = connections.agents[url.protocol === 'https:' ? 'https' : 'http'];
  const lookup = guardedLookup(connections, target);
  const path = url.pathname + url.search;
  return {
    hostname: host,
    port: url.port,
    path,
    method,
    headers,
    agent,
    lookup,
    autoSelectFamily: true,
    maxHeaderSize,
  };
};

/** Ends a request that takes too long or that its caller aborts. The returned function stops the watching. */
const watch = (request: ClientRequest, { target: { url }, signal }: Hop, limits: Limits): (() => void) => {
  const giveUpAfter = (milliseconds: number, what: string): NodeJS.Timeout => {
    const error = new UpstreamError('timeout', url, `${what} within ${milliseconds / 1_000} seconds`);
    return setTimeout(() => request.destroy(error), milliseconds);
  };
  const abort = (): void => {
    request.destroy(abortedError(url, signal));
  };
  let timer = giveUpAfter(limits.connectMilliseconds, 'could not be connected to');
  request.once('socket', (socket) =>
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      timer = giveUpAfter(limits.firstByteMilliseconds, 'sent no answer');
    }),
  );
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  };
};

/** Sends one request and returns the answer as soon as its headers are there. It follows no redirect. */
export const exchange = async (connections: Connections, hop: Hop): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { url } = hop.target;
    const options = optionsOf(connections, hop);
    const request = url.protocol === 'https:' ? httpsRequest(options) : httpRequest(options);
    const stopWatching = watch(request, hop, connections.limits);
    let answer: IncomingMessage | undefined;
    request.once('response', (message) => {
      stopWatching();
      answer = message;
      resolve(message);
    });
    // Without a listener, Node closes the connection of a 101 silently.
    request.once('upgrade', (_message, socket) => {
      stopWatching();
      socket.destroy();
      reject(new UpstreamError('protocol', { host: url.host, status: 101 }, 'switched to another protocol'));
    });
    request.on('error', (error) => {
      stopWatching();
      // Node treats a reset as the end of a body without a length: half a file would pass for the whole file.
      answer?.destroy(error);
      reject(upstreamErrorOf(error, url));
    });
    request.end();
  });
