import type { LookupAddress } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Lookups } from './lookups.ts';
import { isPermittedAddress } from './public-hosts.ts';
import type { Target } from './target.ts';
import { startTimeLimit } from './time-limit.ts';
import { UpstreamError } from './upstream-error.ts';

/** How connections are made. */
export interface ConnectionRules {
  readonly lookups: Lookups;
  readonly allowedPrivate: readonly string[];
  /** The certificate of an authority that is trusted instead of the public ones. */
  readonly certificateAuthority: string | undefined;
}

/**
 * How long Node tries one of several addresses before the next one. A lost first packet is sent again after a second (RFC 6298
 * section 2), which Node's default of 250 milliseconds does not wait for.
 */
const attemptMilliseconds = 1_500;

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
  ({ lookups, allowedPrivate }: ConnectionRules, target: Target): LookupFunction =>
  (_name, _options, done) =>
    lookups.find(target.host, (error, addresses) =>
      done(error ?? unusable(target, addresses, allowedPrivate), addresses),
    );

/** Connects to the host of a target, with TLS if its scheme is https. Rejects with whatever Node reports. */
export const connect = async (
  rules: ConnectionRules,
  target: Target,
  milliseconds: number,
  session: Buffer | undefined,
): Promise<Socket> => {
  const { url, host } = target;
  const isSecure = url.protocol === 'https:';
  const tcp = {
    host,
    port: Number(url.port) || (isSecure ? 443 : 80),
    lookup: guardedLookup(rules, target),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMilliseconds,
  } as const;
  const socket = isSecure ? secured(rules, tcp, session) : connectTcp(tcp);
  socket.setNoDelay(true);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const late = new UpstreamError(
    'unreachable',
    url,
    `could not be connected to within ${milliseconds / 1_000} seconds`,
  );
  const stopTimer = startTimeLimit(milliseconds, () => socket.destroy(late));
  socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve(socket));
  socket.once('error', reject);
  socket.once('close', () =>
    reject(new UpstreamError('unreachable', url, 'closed the connection before it was usable')),
  );
  try {
    return await promise;
  } finally {
    stopTimer();
  }
};

const secured = (
  { certificateAuthority: ca }: ConnectionRules,
  tcp: TcpNetConnectOpts & { readonly host: string },
  session: Buffer | undefined,
): TLSSocket =>
  // An address is no name that a server could choose its certificate by (RFC 6066 section 3).
  connectTls({ ...tcp, servername: isIP(tcp.host) ? '' : tcp.host, ALPNProtocols: ['http/1.1'], ca, session });
