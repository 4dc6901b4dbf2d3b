import { config } from '../../shared/config.ts';
import type { Violation } from '../../shared/errors.ts';
import type { ClaimCondition, Trust } from '../../shared/table/identity/trusts.ts';
import { hostOf, isPermittedHost, isPublicHost } from '../../shared/upstream/public-hosts.ts';
import { providerFacts, providerOfIssuer } from './providers.ts';

const broken = (field: string, rule: string, message: string): Violation => ({ pointer: `/${field}`, rule, message });

/**
 * The rules of an issuer: its text is compared with `iss` letter by letter, and its keys are fetched from its host. http is only for
 * hosts that the operator lists because they are not public: on the internet, anybody on the way could send other keys.
 */
export const issuerViolations = (issuer: string): Violation[] => {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isPlain = url !== undefined && [issuer, `${issuer}/`].includes(url.href) && !/[?#@]/.test(issuer);
  const host = isPlain ? hostOf(url) : undefined;
  if (!isPlain || host === undefined || !/^https?:$/.test(url.protocol))
    return [
      broken(
        'issuer',
        'uri',
        'issuer must be a URL as in the claim iss, such as https://token.actions.githubusercontent.com.',
      ),
    ];
  if (!isPermittedHost(host, config.allowedPrivateUpstreams))
    return [
      broken(
        'issuer',
        'public',
        `issuer must name a public host: '${host}' is not one. The operator can allow it in ALLOWED_PRIVATE_UPSTREAMS.`,
      ),
    ];
  if (url.protocol === 'http:' && isPublicHost(host))
    return [broken('issuer', 'https', 'issuer must begin with https://, because its host is public.')];
  return [];
};

/**
 * What a glob must begin with, so that it names one owner whole: a name and its value, each before a separator. `repo:acme*`
 * would let in acme-evil as well.
 */
const namesOwner = /^[^:/*]+[:/][^:/*]+[:/]/;

const isOnOwner = ({ provider }: Pick<Trust, 'provider'>, condition: ClaimCondition): boolean => {
  const { ownerClaims, ownerSub } = providerFacts[provider];
  if (condition.claim !== 'sub') return ownerClaims.includes(condition.claim);
  return !ownerSub || ownerSub.pattern.test('equals' in condition ? condition.equals : condition.matches);
};

/** The reasons why a trust would accept too many: its terms as a whole. */
export const termsViolations = (
  trust: Pick<Trust, 'provider' | 'issuer' | 'audience' | 'conditions' | 'allowsPullRequests'>,
): Violation[] => {
  const { provider, issuer, audience, conditions, allowsPullRequests } = trust;
  const { ownerClaims, ownerSub, required, isDefaultAudience } = providerFacts[provider];
  const violations: Violation[] = [];
  const known = providerOfIssuer(issuer);
  if (known !== undefined && known !== provider)
    violations.push(broken('provider', 'provider', `provider must be ${known} for the issuer ${issuer}.`));
  if (isDefaultAudience(audience, issuer))
    violations.push(
      broken(
        'audience',
        'ownAudience',
        'audience must not be the default of the issuer: tokens for any other service would be accepted here. Use the URL of this service, and request tokens with it.',
      ),
    );
  if (!conditions.some((condition) => isOnOwner(trust, condition)))
    violations.push(
      broken(
        'conditions',
        'subject',
        `conditions must have one on ${[ownerSub ? `sub that begins like ${ownerSub.example}` : 'sub', ...ownerClaims].join(', ')}: without it, the trust would accept everybody whose tokens come from this issuer.`,
      ),
    );
  for (const [index, condition] of conditions.entries())
    if ('matches' in condition && !namesOwner.test(condition.matches))
      violations.push(
        broken(
          `conditions/${index}/matches`,
          'owner',
          `conditions[${index}].matches must name an owner before its first '*', with the separator after it, such as repo:acme/*: otherwise the trust would accept everybody whose name begins like that.`,
        ),
      );
  if (required && !allowsPullRequests && !conditions.some(({ claim }) => claim === required.claim))
    violations.push(
      broken(
        'conditions',
        'fork',
        `conditions must have one on ${required.claim}, such as ${required.example}, so that builds of forks are excluded. Or set allowsPullRequests.`,
      ),
    );
  return violations;
};

/** A condition as a request contains it, where null is as good as absent. */
interface WrittenCondition {
  readonly claim: string;
  readonly equals?: string | null | undefined;
  readonly matches?: string | null | undefined;
}

/** Each condition has exactly one of `equals` and `matches`, and only a subject has a form that a glob fits. */
export const conditionsRule = ({
  conditions = [],
}: {
  conditions?: readonly WrittenCondition[] | undefined;
}): Violation[] =>
  conditions.flatMap(({ claim, equals, matches }, index) => {
    const field = `conditions[${index}]`;
    const isGlob = typeof matches === 'string';
    if (isGlob === (typeof equals === 'string'))
      return [broken(`conditions/${index}`, 'oneOf', `${field} must have either equals or matches.`)];
    return isGlob && claim !== 'sub'
      ? [
          broken(
            `conditions/${index}/matches`,
            'subjectOnly',
            `${field}.matches is only for the claim sub: use equals.`,
          ),
        ]
      : [];
  });

/** The conditions of a body that keeps the rule. */
export const conditionsOf = (written: readonly WrittenCondition[]): ClaimCondition[] =>
  written.map(({ claim, equals, matches }) =>
    typeof equals === 'string' ? { claim, equals } : { claim, matches: matches ?? '' },
  );
