import type { Trust } from '../../shared/table/identity/trusts.ts';
import type { TrustProvider } from '../../shared/trust-providers.ts';
import type { AnyCondition, ExclusionCondition } from './conditions.ts';

/** What is known of the identity tokens of a provider. */
interface ProviderFacts {
  /** The issuer of its tokens, where all of its customers share one. */
  readonly issuer?: string;
  /** The issuers that are this provider for certain, so that no trust avoids its conditions under another name. */
  readonly knownIssuer?: RegExp;
  /** The claims, beside `sub`, that say whose pipeline runs. Without a condition on one of them, everybody's would do. */
  readonly ownerClaims: readonly string[];
  /**
   * How a `sub` that names an owner begins, and an example: owners choose what theirs consist of, so that of any other pipeline
   * may say `ref:refs/heads/main`.
   */
  readonly ownerSub?: { readonly pattern: RegExp; readonly example: string };
  /** The conditions that exclude pull requests, as far as the claims tell them. */
  readonly excludesPullRequests: readonly ExclusionCondition[];
  /** A claim on which a trust needs a condition of its own, because no value is right for everybody. */
  readonly required?: { readonly claim: string; readonly example: string };
  /** The audience that tokens have when nobody asked for one: any other service would accept the same token. */
  readonly isDefaultAudience: (audience: string, issuer: string) => boolean;
}

const isIssuer = (audience: string, issuer: string): boolean =>
  audience === issuer || audience === issuer.replace(/^https?:\/\//, '');

/**
 * GitHub Actions: docs.github.com/en/actions/reference/security/oidc. The default audience is the URL of the owner. No claim
 * tells a pull request from a fork from one of the repository itself, so all events of pull requests are excluded: with
 * `pull_request_target`, the workflow runs for the fork with the rights of the repository.
 */
const github: ProviderFacts = {
  issuer: 'https://token.actions.githubusercontent.com',
  knownIssuer: /^https:\/\/token\.actions\.githubusercontent\.com(?:\/|$)/,
  ownerClaims: ['repository', 'repository_id', 'repository_owner', 'repository_owner_id'],
  ownerSub: { pattern: /^(?:repo|repository(?:_id|_owner|_owner_id)?):[^:]/, example: 'repo:acme/app:' },
  excludesPullRequests: [{ claim: 'event_name', excludes: ['pull_request*'] }],
  isDefaultAudience: (audience) => /^https:\/\/github\.com\/[^/]+\/?$/.test(audience),
};

/**
 * GitLab CI: docs.gitlab.com/ci/secrets/id_token_authentication. The default audience is the instance. A merge request from a
 * fork can run in the parent project: before GitLab 18.2.2 its token named the parent (gitlab-org/gitlab issue 548165), since
 * then the fork. Where the pipeline comes from tells both.
 */
const gitlab: ProviderFacts = {
  issuer: 'https://gitlab.com',
  knownIssuer: /^https:\/\/gitlab\.com\/?$/,
  ownerClaims: ['project_path', 'project_id', 'namespace_path', 'namespace_id'],
  ownerSub: { pattern: /^project_path:[^:]/, example: 'project_path:acme/app:' },
  excludesPullRequests: [
    { claim: 'pipeline_source', excludes: ['merge_request_event', 'external_pull_request_event'] },
  ],
  isDefaultAudience: isIssuer,
};

/**
 * CircleCI: circleci.com/docs/openid-connect-tokens. The issuer and the default audience name the organization. Builds of forks
 * get tokens only where the project passes them secrets, and then `vcs-origin` must be checked, as that page says.
 */
const circleci: ProviderFacts = {
  knownIssuer: /^https:\/\/oidc\.circleci\.com\//,
  ownerClaims: ['oidc.circleci.com/project-id', 'oidc.circleci.com/org-id'],
  ownerSub: { pattern: /^org\/[^/]/, example: 'org/f3a1/project/' },
  excludesPullRequests: [],
  required: { claim: 'oidc.circleci.com/vcs-origin', example: 'github.com/acme/app' },
  isDefaultAudience: (audience, issuer) => issuer.endsWith(`/org/${audience}`),
};

/**
 * Buildkite: buildkite.com/docs/agent/cli/reference/oidc. All organizations share the issuer, and the default audience is the URL
 * of the organization. With the setting "Prefix third-party fork branch names", the branch of a fork is `user:branch`, and no
 * name of a branch in git has a colon.
 */
const buildkite: ProviderFacts = {
  issuer: 'https://agent.buildkite.com',
  knownIssuer: /^https:\/\/agent\.buildkite\.com\/?$/,
  ownerClaims: ['organization_slug', 'organization_id', 'pipeline_id'],
  ownerSub: { pattern: /^organization:[^:]/, example: 'organization:acme:pipeline:app:' },
  excludesPullRequests: [{ claim: 'build_branch', excludes: ['*:*'] }],
  isDefaultAudience: (audience) => /^https:\/\/buildkite\.com\/[^/]+\/?$/.test(audience),
};

/** Any other issuer: only its subject is known to say who calls. */
const other: ProviderFacts = { ownerClaims: [], excludesPullRequests: [], isDefaultAudience: isIssuer };

/** What is known of each provider. */
export const providerFacts: Readonly<Record<TrustProvider, ProviderFacts>> = {
  github,
  gitlab,
  circleci,
  buildkite,
  other,
};

/** The provider that an issuer is for certain, if it is one of them. */
export const providerOfIssuer = (issuer: string): TrustProvider | undefined =>
  (Object.keys(providerFacts) as TrustProvider[]).find((provider) => providerFacts[provider].knownIssuer?.test(issuer));

/** The conditions that a trust has without naming them. */
export const readyMadeConditions = ({
  provider,
  allowsPullRequests,
}: {
  readonly provider: TrustProvider;
  readonly allowsPullRequests: boolean;
}): readonly ExclusionCondition[] => (allowsPullRequests ? [] : providerFacts[provider].excludesPullRequests);

/** All conditions of a trust: its own, and those of its provider. */
export const allConditions = (
  trust: Pick<Trust, 'provider' | 'allowsPullRequests' | 'conditions'>,
): readonly AnyCondition[] => [...trust.conditions, ...readyMadeConditions(trust)];
