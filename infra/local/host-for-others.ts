import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Whether nobody else reaches what listens on a host. */
const isLoopback = (host: string): boolean => /^(?:localhost|127\..*|::1)$/i.test(host);

/** The host as URLs name it by which other machines reach what listens on it; `localhost` if none does. */
export const hostForOthers = (host: string): string => {
  const named = host === '0.0.0.0' || host === '::' ? firstAddress(host) : host;
  if (named === undefined || isLoopback(named)) return 'localhost';
  return isIPv6(named) ? `[${named}]` : named;
};

/** The first address of this machine for others, of those on which such a host listens. */
const firstAddress = (host: '0.0.0.0' | '::'): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(
      ({ internal, family, address }) =>
        !internal && (family === 'IPv4' || host === '::') && !address.startsWith('fe80:'),
    )?.address;
