import { config } from '../../shared/config.ts';
import type { Violation } from '../../shared/errors.ts';
import { type PackageType, plainUrl } from '../../shared/package-types.ts';
import { hostOf, isPermittedHost } from '../../shared/upstream/public-hosts.ts';

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

const hostViolation = (url: string): Violation | undefined => {
  const host = hostOf(url);
  if (!host) return broken('uri', 'remoteRepositoryUrl must name a valid host and port.');
  if (isPermittedHost(host, config.allowedPrivateUpstreams)) return undefined;
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

export interface NamedUpstream {
  readonly packageType?: PackageType | undefined;
  readonly remoteRepositoryUrl?: string | undefined;
}

/** The rules of an upstream's URL. Nothing is looked up and nothing is called: a name's address may change at any time. */
export const upstreamUrlRule = ({ packageType, remoteRepositoryUrl }: NamedUpstream): Violation[] => {
  if (remoteRepositoryUrl === undefined) return [];
  const url = plainUrl(packageType, remoteRepositoryUrl);
  const violation = urlViolation(url);
  const missing = packageType === 'universal' ? placeholderViolations(url) : [];
  return violation ? [violation, ...missing] : missing;
};
