import { config } from '../../shared/config.ts';
import type { Violation } from '../../shared/errors.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { plainUrl } from '../../shared/packages/sources/type-facts.ts';
import { urlParts, urlViolation } from '../../shared/packages/types/upstream-url.ts';
import { hostOf, isPermittedHost } from '../../shared/upstream/public-hosts.ts';
import { definitionOf } from '../package-definitions.ts';

const forbiddenCharacters = /[\p{Cc}\p{Z}\\]/u;

const hostViolation = (url: string): Violation | undefined => {
  const host = hostOf(url);
  if (!host) return urlViolation('uri', 'remoteRepositoryUrl must name a valid host and port.');
  if (isPermittedHost(host, config.allowedPrivateUpstreams)) return undefined;
  return urlViolation(
    'public',
    `remoteRepositoryUrl must name a public host: '${host}' is not one. The operator can allow it in ALLOWED_PRIVATE_UPSTREAMS.`,
  );
};

const violationOf = (url: string): Violation | undefined => {
  if (forbiddenCharacters.test(url))
    return urlViolation(
      'characters',
      'remoteRepositoryUrl must not contain spaces, control characters or backslashes.',
    );
  const { authority, fragment } = urlParts(url);
  if (authority === undefined)
    return urlViolation(
      'uri',
      'remoteRepositoryUrl must be an absolute http or https URL, such as https://registry.npmjs.org/.',
    );
  if (authority.includes('@'))
    return urlViolation(
      'userinfo',
      'remoteRepositoryUrl must not contain a user or password: send remoteRepositoryUsername and remoteRepositoryPassword.',
    );
  if (fragment !== undefined)
    return urlViolation('fragment', "remoteRepositoryUrl must not contain a fragment: leave out '#' and what follows.");
  return hostViolation(url);
};

export interface NamedUpstream {
  readonly packageType?: PackageType | undefined;
  readonly remoteRepositoryUrl?: string | undefined;
}

/** The rules of an upstream's URL. Nothing is looked up and nothing is called: a name's address may change at any time. */
export const upstreamUrlRule = ({ packageType, remoteRepositoryUrl }: NamedUpstream): readonly Violation[] => {
  if (remoteRepositoryUrl === undefined) return [];
  const url = plainUrl(packageType, remoteRepositoryUrl);
  const violation = violationOf(url);
  const missing = packageType ? definitionOf(packageType).upstream.urlViolations(url) : [];
  return violation ? [violation, ...missing] : missing;
};
