import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IPv4 addresses inside IPv6 ones are folded. */
const addressOf = (text: string): Address | undefined => (ipaddr.isValid(text) ? ipaddr.process(text) : undefined);

/** The same of a host, as `hostOf` returns it: of names, the library learns by an exception that they are no addresses. */
const addressOfHost = (host: string): Address | undefined => (isIP(host) > 0 ? addressOf(host) : undefined);

const isInNetwork = (network: string, address: Address): boolean => {
  const [start, bits] = ipaddr.parseCIDR(network);
  return start.kind() === address.kind() && address.match(start, bits);
};

const isInOneOf = (networks: readonly string[], address: Address): boolean =>
  networks.some((network) => isInNetwork(network, address));

/** All IPv6 unicast that IANA assigns. The library calls the rest of the space unicast, too, even [::127.0.0.1]. */
const globalUnicast = '2000::/3';

/**
 * Ranges that the library calls unicast although they are not public: documentation (RFC 9637) and the WireServer of
 * Azure.
 */
const reserved = ['3fff::/20', '168.63.129.16/32'];

/** The addresses at which clouds give a machine its credentials: AWS, Google and Azure; Alibaba. */
const metadataServices = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  '168.63.129.16/32',
  '100.100.100.200/32',
];

/**
 * Names that only resolve inside a network: RFC 6761, 6762 and 8375, names that ICANN withholds (corp, home, internal),
 * names of Kubernetes and of routers, and the metadata service of Google.
 */
const internalName =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|home\.arpa|corp|private|svc|test|invalid|metadata\.goog)$/;

/**
 * The host of a URL in the form for a connection. Decimal, octal, hexadecimal, short and full-width spellings become
 * one, and the brackets of IPv6 and the dot of the root are removed. Undefined if the URL has no valid host and port.
 */
export const hostOf = (url: string | URL): string | undefined => {
  if (!URL.canParse(url.toString())) return undefined;
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
  return port === '0' || host.split('.').includes('') ? undefined : host;
};

/** Whether an address is public: it means the same machine everywhere on the internet. */
export const isPublicAddress = (text: string): boolean => {
  const address = addressOf(text);
  if (address?.range() !== 'unicast' || isInOneOf(reserved, address)) return false;
  return address.kind() === 'ipv4' || isInNetwork(globalUnicast, address);
};

/** Whether a host, as `hostOf` returns it, is a public address or a name that is not known to be internal. */
export const isPublicHost = (host: string): boolean =>
  addressOfHost(host) ? isPublicAddress(host) : host.includes('.') && !internalName.test(host);

/** Whether an entry of the operator's list can match any host: a name or an address as in a URL, or a CIDR range. */
export const isHostOrNetwork = (entry: string): boolean => {
  if (entry.includes('/')) return ipaddr.isValidCIDR(entry);
  return ipaddr.isValid(entry) || (hostOf(`http://${entry}/`) === entry.toLowerCase() && !entry.includes('*'));
};

/** Whether an entry of the operator's list is this host or a range that contains it. */
const isListedBy = (entry: string, host: string): boolean => {
  const address = addressOfHost(host);
  if (!entry.includes('/'))
    return entry === host || (address !== undefined && addressOf(entry)?.toString() === address.toString());
  return address !== undefined && ipaddr.isValidCIDR(entry) && isInNetwork(entry, address);
};

/** Whether a URL may name this host: a public one, or one that the operator lists (a host, an address or a CIDR range). */
export const isPermittedHost = (host: string, allowedPrivate: readonly string[]): boolean =>
  isPublicHost(host) || allowedPrivate.some((entry) => isListedBy(entry, host));

/**
 * Whether a connection to `host` may go to this address: a public one, or one that the operator lists. A listed name may
 * resolve to any address except those of metadata services, so that a new owner of the name cannot get credentials.
 */
export const isPermittedAddress = (text: string, host: string, allowedPrivate: readonly string[]): boolean => {
  const address = addressOf(text);
  if (!address) return false;
  return (
    isPermittedHost(text, allowedPrivate) || (allowedPrivate.includes(host) && !isInOneOf(metadataServices, address))
  );
};
