import { isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** Whether nobody else reaches what listens on a host. */
const isLoopback = (host: string): boolean => /^(?:localhost|127\..*|::1)$/i.test(host);

/** Whether what listens on a host listens on all addresses: no client can call it so. */
export const isEverywhere = (host: string): host is '0.0.0.0' | '::' => host === '0.0.0.0' || host === '::';

/** The host as URLs name it by which other machines reach what listens on it; `localhost` if none does. */
export const hostForOthers = (host: string): string => {
  const named = isEverywhere(host) ? firstAddress(host) : host;
  if (named === undefined || isLoopback(named)) return 'localhost';
  return isIPv6(named) ? `[${named}]` : named;
};

/** The first address of this machine for others, of those on which such a host listens. */
const firstAddress = (host: '0.0.0.0' | '::'): string | undefined =>
  ownAddresses().find(
    ({ internal, family, address }) =>
      !internal && (family === 'IPv4' || host === '::') && !address.startsWith('fe80:'),
  )?.address;

const ownAddresses = () => Object.values(networkInterfaces()).flatMap((each) => each ?? []);

/** Whether a host, with a port or without one, is a name of this machine. */
export const isOwnHost = (authority: string): boolean => {
  const [, bracketed, name = bracketed ?? ''] =
    /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d{1,5})?$/.exec(authority.toLowerCase()) ?? [];
  return (
    isLoopback(name) || name === hostname().toLowerCase() || ownAddresses().some(({ address }) => address === name)
  );
};
