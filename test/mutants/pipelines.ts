import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what is known of each provider of pipelines, and in what records say of their trusts and of tokens. */
export const pipelineMutants: readonly Mutant[] = [
  ...bugsIn('functions/trusts/providers.ts', 'functions/trusts/providers', {
    'GitHub: only the event pull_request is excluded': ["excludes: ['pull_request*']", "excludes: ['pull_request']"],
    'GitHub: whoever starts a workflow owns it': ["'repository_owner_id'],", "'repository_owner_id', 'actor'],"],
    'GitHub: an issuer with a path is another one': [
      '/^https:\\/\\/token\\.actions\\.githubusercontent\\.com(?:\\/|$)/',
      '/^https:\\/\\/token\\.actions\\.githubusercontent\\.com\\/?$/',
    ],
    'GitLab: merge requests are accepted': ["'merge_request_event', ", ''],
    'GitLab: another claim tells merge requests': ["claim: 'pipeline_source'", "claim: 'event_name'"],
    'GitLab: whoever starts a pipeline owns it': ["'namespace_id'],", "'namespace_id', 'user_login'],"],
    'GitLab: its issuer with a slash is another one': [
      '/^https:\\/\\/gitlab\\.com\\/?$/',
      '/^https:\\/\\/gitlab\\.com$/',
    ],
    'CircleCI: no condition on the origin of the code is required': [
      "  required: { claim: 'oidc.circleci.com/vcs-origin', example: 'github.com/acme/app' },\n",
      '',
      'functions/trusts/create-trust',
    ],
    'CircleCI: a context owns a pipeline': [
      "'oidc.circleci.com/org-id'],",
      "'oidc.circleci.com/org-id', 'oidc.circleci.com/context-ids'],",
    ],
    'CircleCI: only one organization is known': [
      '/^https:\\/\\/oidc\\.circleci\\.com\\//',
      '/^https:\\/\\/oidc\\.circleci\\.com\\/org\\/f3a1/',
    ],
    'Buildkite: another claim tells forks': ["claim: 'build_branch'", "claim: 'pipeline_slug'"],
    'Buildkite: branches with a slash are forks': ["excludes: ['*:*']", "excludes: ['*:*', '*/*']"],
    'Buildkite: the organizations share a pipeline': [
      "'organization_id', 'pipeline_id'],",
      "'organization_id', 'step_key'],",
    ],
    'Buildkite: its issuer is any provider': ['  knownIssuer: /^https:\\/\\/agent\\.buildkite\\.com\\/?$/,\n', ''],
    'others: an e-mail address is an owner': ['{ ownerClaims: [], ', "{ ownerClaims: ['email'], "],
    'others: pull requests of GitHub are excluded': [
      'ownerClaims: [], excludesPullRequests: []',
      'ownerClaims: [], excludesPullRequests: github.excludesPullRequests',
    ],
    'pull requests are accepted where the trust excludes them': [
      'allowsPullRequests ? [] : providerFacts',
      '!allowsPullRequests ? [] : providerFacts',
    ],
  }),
  ...bugsIn('shared/table/identity/trusts.ts', 'functions/audit/concerned', {
    'a repository that a trust loses is not concerned': [
      "changeOf('trust.changed', next, change, trust.repositories)",
      "changeOf('trust.changed', next, change)",
    ],
    'a repository that a trust gets is not concerned': [
      "changeOf('trust.changed', next, change, trust.repositories)",
      "changeOf('trust.changed', trust, change)",
    ],
    'the repositories of a trust are concerned by their names': [
      'map(({ repositoryId }) => repositoryId),',
      'map(({ repositoryName }) => repositoryName),',
    ],
  }),
  ...bugsIn('shared/table/identity/trust-tokens.ts', 'functions/audit/concerned', {
    'the actor of an exchange is its token': [
      "actor: { kind: 'trust', id: trustId, name, tokenId }",
      "actor: { kind: 'trust', id: tokenId, name, tokenId }",
    ],
    'an exchange has no token in its record': [
      "actor: { kind: 'trust', id: trustId, name, tokenId }",
      "actor: { kind: 'trust', id: trustId, name, tokenId: null }",
    ],
  }),
  ...bugsIn('shared/table/identity/tokens.ts', 'functions/audit/concerned', {
    'the record of a token concerns its user only by name': [
      'if (isPersonal(token)) return [token.userId];',
      'if (isPersonal(token)) return [token.username];',
    ],
    'the record of a workspace token concerns no repository': [
      "token.kind === 'workspace' && 'repositories' in token.grants",
      "token.kind === 'trust' && 'repositories' in token",
    ],
  }),
  ...bugsIn('shared/table/identity/token-rotation.ts', 'functions/audit/concerned', {
    'the record of a rotation concerns the tokens alone': [', ...concernedBy(old)]', ']'],
  }),
];
