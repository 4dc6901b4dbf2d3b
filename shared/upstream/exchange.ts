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

/** What all requests of one remote repository share. */
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

/** Of an answer's headers, in bytes; Node counts names and values. */
const maxHeaderSize = 32 * 1024;

/** One address that is not permitted spoils all of a name's, since Node tries them in turn. */
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
 * Node connects to exactly the addresses that this gives, so a name that resolves to others a moment later gains nothing. They
 * are given as a list, since autoSelectFamily asks for all of them. For an address in place of a name Node never asks: that
 * one is checked with the URL.
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

/** Ends a request that takes too long or that its caller gives up; the function that it returns stops that. */
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

/** Sends one request and gives the answer once its headers are there. No redirect is followed. */
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
    // Without a listener Node closes the connection of a 101 and says nothing to anybody.
    request.once('upgrade', (_message, socket) => {
      stopWatching();
      socket.destroy();
      reject(new UpstreamError('protocol', { host: url.host, status: 101 }, 'switched to another protocol'));
    });
    request.on('error', (error) => {
      stopWatching();
      // Node takes a reset for the end of a body that has no length: half a file would pass for a whole one.
      answer?.destroy(error);
      reject(upstreamErrorOf(error, url));
    });
    request.end();
  });
