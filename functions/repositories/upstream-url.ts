import ipaddr from 'ipaddr.js';
import { config } from '../../shared/config.ts';
import type { Violation } from '../../shared/errors.ts';
import type { PackageType } from '../../shared/packages.ts';

/** What the client of a universal upstream fills in. */
const placeholders = ['{package-name}', '{version}', '{file}'] as const;

const pointer = '/remoteRepositoryUrl';
const broken = (rule: string, message: string): Violation => ({ pointer, rule, message });

/**
 * Splits an absolute http or https URL as it is written: URL parsers forgive missing slashes, backslashes and white space,
 * and what they read then differs from what the proxy would send.
 */
const parts = /^https?:\/\/(?<authority>[^/?#]+)(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/isu;
const forbiddenCharacters = /[\p{Cc}\p{Z}\\]/u;

/** The host as a URL parser understands it: decimal, octal, hexadecimal, short and full-width spellings are folded. */
const hostOf = (url: string): string | undefined => {
  try {
    return new URL(url).hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
  } catch {
    return undefined;
  }
};

const addressOf = (host: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.isValid(host) ? ipaddr.process(host) : undefined;

/** Names that resolve inside a network only (RFC 6761, RFC 6762, RFC 8375), metadata services among them. */
const isInternalName = (host: string): boolean =>
  !host.includes('.') || /\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/.test(host);

/** All IPv6 unicast that IANA hands out; the library takes the rest of the space for unicast too, [::127.0.0.1] in it. */
const globalUnicast = '2000::/3';

const isPublic = (host: string): boolean => {
  const address = addressOf(host);
  if (!address) return !isInternalName(host);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isAllowedBy(globalUnicast, host));
};

const isAllowedBy = (entry: string, host: string): boolean => {
  const address = addressOf(host);
  if (!entry.includes('/'))
    return entry === host || (address !== undefined && addressOf(entry)?.toString() === address.toString());
  if (!address || !ipaddr.isValidCIDR(entry)) return false;
  const [network, bits] = ipaddr.parseCIDR(entry);
  return network.kind() === address.kind() && address.match(network, bits);
};

const hostViolation = (url: string): Violation | undefined => {
  const host = hostOf(url);
  if (!host) return broken('uri', 'remoteRepositoryUrl must name a valid host and port.');
  if (isPublic(host) || config.allowedPrivateUpstreams.some((entry) => isAllowedBy(entry, host))) return undefined;
  return broken(
    'public',
    `remoteRepositoryUrl must name a public host: '${host}' is not one. The operator can allow it in ALLOWED_PRIVATE_UPSTREAMS.`,
  );
};

const urlViolation = (url: string): Violation | undefined => {
  if (forbiddenCharacters.test(url))
    return broken('characters', 'remoteRepositoryUrl must not contain spaces, control characters or backslashes.');
  const { authority, fragment } = parts.exec(url)?.groups ?? {};
  if (authority === undefined)
    return broken(
      'uri',
      'remoteRepositoryUrl must be an absolute http or https URL, such as https://registry.npmjs.org/.',
    );
  if (authority.includes('@'))
    return broken(
      'userinfo',
      'remoteRepositoryUrl must not contain a user or password: send remoteRepositoryUsername and remoteRepositoryPassword.',
    );
  if (fragment !== undefined)
    return broken('fragment', "remoteRepositoryUrl must not contain a fragment: leave out '#' and what follows.");
  return hostViolation(url);
};

const placeholderViolations = (url: string): Violation[] => {
  const { authority = '', path = '', query = '' } = parts.exec(url)?.groups ?? {};
  return placeholders.flatMap((placeholder) => {
    if (path.includes(placeholder) && !(authority + query).includes(placeholder)) return [];
    const message = `remoteRepositoryUrl of a universal repository must contain ${placeholder} in its path, and nowhere else.`;
    return [broken('placeholder', message)];
  });
};

interface Upstream {
  readonly packageType?: PackageType | undefined;
  readonly remoteRepositoryUrl?: string | undefined;
}

/** The rules of an upstream's URL. Nothing is looked up and nothing is called: a name's address may change at any time. */
export const upstreamUrlRule = ({ packageType, remoteRepositoryUrl: url }: Upstream): Violation[] => {
  if (url === undefined) return [];
  const violation = urlViolation(url);
  const missing = packageType === 'universal' ? placeholderViolations(url) : [];
  return violation ? [violation, ...missing] : missing;
};
