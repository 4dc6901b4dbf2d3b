import { hostOf, isPermittedHost, isPublicHost } from './public-hosts.ts';
import { type FailureContext, UpstreamError } from './upstream-error.ts';

/** The target of a request: a URL that breaks no rule, and its host in the form for a connection. */
export interface Target {
  readonly url: URL;
  readonly host: string;
}

/** The source of a target: the URL of the remote repository, or an answer that redirects. */
export interface Referrer {
  readonly url: URL;
  /** Only an answer has one. */
  readonly status?: number | undefined;
  /** The host that an error names. */
  readonly shownHost?: string;
}

/** The settings of one remote repository that the rules depend on. */
export interface TargetRules {
  /** The URL of the remote repository. */
  readonly configured: URL;
  readonly allowedPrivate: readonly string[];
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** The rule that a target breaks, as the predicate of a sentence about its host. */
const brokenRule = (url: URL, host: string, referrer: Referrer, rules: TargetRules): string | undefined => {
  // Node would send them as credentials, and they would appear wherever the URL is shown.
  if (url.username || url.password) return 'has a user or a password in its URL';
  if (url.protocol === 'http:' && referrer.url.protocol === 'https:') return 'would be reached without TLS';
  if (!['80', '443', portOf(rules.configured)].includes(portOf(url)))
    return "has a port that is not 80, 443 or the one of the remote repository's URL";
  return isPermittedHost(host, rules.allowedPrivate) ? undefined : 'is not a public host';
};

/** Parses a URL and checks all rules, except the one for the addresses that its name resolves to. */
export const targetOf = (address: string, referrer: Referrer, rules: TargetRules): Target => {
  const context: FailureContext = { host: referrer.shownHost ?? referrer.url.host, status: referrer.status };
  const base = referrer.status === undefined ? undefined : referrer.url.href;
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UpstreamError('protocol', context, 'leads to an address that is not http or https');
  url.hash = '';
  const host = hostOf(url);
  // Only the log names an internal host: readers of the repository must not learn it.
  const named = host !== undefined && isPublicHost(host) ? `${url.host}, which` : 'an address that';
  const refusal = (rule: string): UpstreamError =>
    url.host === context.host
      ? new UpstreamError('refused-address', context, rule)
      : new UpstreamError('refused-address', context, `leads to ${named} ${rule}`, new Error(`leads to ${url.host}`));
  if (host === undefined) throw refusal('is no valid host and port');
  const rule = brokenRule(url, host, referrer, rules);
  if (rule !== undefined) throw refusal(rule);
  return { url, host };
};
