import { createTrust, exchangeToken } from '../../../functions/trusts/contracts.ts';
import type { ClaimCondition } from '../../../shared/table/identity/trusts.ts';
import { type TrustProvider, trustProviders } from '../../../shared/trust-providers.ts';
import { buildFixture, type Fixture } from '../../harness/fixture.ts';
import { useService } from '../../harness/service.ts';
import { trustBody, trustOf, useIssuer } from '../../harness/trusts.ts';

/** What is expected of a provider, written by hand: the code under test has a table of its own. */
interface Expectation {
  /** A condition that names the owner, and others that the provider requires. */
  readonly conditions: readonly ClaimCondition[];
  /** The claims of a pipeline of the owner. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The claim that tells pull requests, and its values. */
  readonly told?: {
    readonly claim: string;
    readonly excluded: readonly string[];
    readonly accepted: readonly string[];
  };
  /** The claims that say whose pipeline runs. */
  readonly ownerClaims: readonly string[];
  /** Claims that pipelines of anybody may have. */
  readonly otherClaims: readonly string[];
  /** Issuers that are this provider for certain. */
  readonly knownIssuers: readonly string[];
  /** Issuers that only look like this provider. */
  readonly similarIssuers: readonly string[];
}

const cases: Readonly<Record<TrustProvider, Expectation>> = {
  github: {
    conditions: [{ claim: 'repository_id', equals: '1' }],
    claims: { repository_id: '1', event_name: 'push' },
    told: {
      claim: 'event_name',
      excluded: ['pull_request', 'pull_request_target', 'pull_request_review', 'pull_request_review_comment'],
      accepted: ['push', 'release', 'schedule', 'workflow_dispatch', 'merge_group', 'my_pull_request'],
    },
    ownerClaims: ['repository', 'repository_id', 'repository_owner', 'repository_owner_id'],
    otherClaims: ['actor', 'ref', 'environment', 'workflow', 'job_workflow_ref', 'project_id', 'organization_id'],
    knownIssuers: [
      'https://token.actions.githubusercontent.com',
      'https://token.actions.githubusercontent.com/',
      'https://token.actions.githubusercontent.com/acme',
    ],
    similarIssuers: ['https://token.actions.githubusercontent.com.example', 'https://github.com'],
  },
  gitlab: {
    conditions: [{ claim: 'project_id', equals: '1' }],
    claims: { project_id: '1', pipeline_source: 'push' },
    told: {
      claim: 'pipeline_source',
      excluded: ['merge_request_event', 'external_pull_request_event'],
      accepted: ['push', 'web', 'schedule', 'api', 'trigger', 'pipeline', 'parent_pipeline', 'merge_request'],
    },
    ownerClaims: ['project_path', 'project_id', 'namespace_path', 'namespace_id'],
    otherClaims: ['ref', 'ref_path', 'user_login', 'environment', 'repository', 'pipeline_id'],
    knownIssuers: ['https://gitlab.com', 'https://gitlab.com/'],
    similarIssuers: ['https://gitlab.com.example', 'https://gitlab.com/acme'],
  },
  circleci: {
    conditions: [
      { claim: 'oidc.circleci.com/project-id', equals: '1' },
      { claim: 'oidc.circleci.com/vcs-origin', equals: 'github.com/acme/app' },
    ],
    claims: { 'oidc.circleci.com/project-id': '1', 'oidc.circleci.com/vcs-origin': 'github.com/acme/app' },
    told: {
      claim: 'oidc.circleci.com/vcs-origin',
      excluded: ['github.com/stranger/app', 'github.com/acme/app/fork', ''],
      accepted: ['github.com/acme/app'],
    },
    ownerClaims: ['oidc.circleci.com/project-id', 'oidc.circleci.com/org-id'],
    otherClaims: ['oidc.circleci.com/vcs-ref', 'oidc.circleci.com/context-ids', 'project_id', 'repository'],
    knownIssuers: ['https://oidc.circleci.com/org/f3a1', 'https://oidc.circleci.com/org/0b52'],
    similarIssuers: ['https://oidc.circleci.com.example/org/f3a1'],
  },
  buildkite: {
    conditions: [{ claim: 'organization_slug', equals: 'acme' }],
    claims: { organization_slug: 'acme', build_branch: 'main' },
    told: {
      claim: 'build_branch',
      excluded: ['stranger:main', 'stranger:fix/1', 'stranger:refs/heads/main'],
      accepted: ['main', 'fix/1', 'stranger-main', 'stranger/main'],
    },
    ownerClaims: ['organization_slug', 'organization_id', 'pipeline_id'],
    otherClaims: ['build_branch', 'build_commit', 'step_key', 'pipeline_slug', 'repository'],
    knownIssuers: ['https://agent.buildkite.com', 'https://agent.buildkite.com/'],
    similarIssuers: ['https://agent.buildkite.com.example', 'https://buildkite.com'],
  },
  other: {
    conditions: [{ claim: 'sub', equals: 'system:serviceaccount:ci:release' }],
    claims: {
      sub: 'system:serviceaccount:ci:release',
      event_name: 'pull_request',
      pipeline_source: 'merge_request_event',
    },
    ownerClaims: ['sub'],
    otherClaims: ['repository', 'project_id', 'organization_id', 'email', 'azp'],
    knownIssuers: [],
    similarIssuers: [],
  },
};

const service = useService();
const issuer = useIssuer();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
});

const exchange = async (trust: string, claims: object): Promise<number> => {
  const body = { trust, subject_token: issuer.token({ event_name: undefined, ...claims }) };
  return (await service.client.attempt(exchangeToken, { body })).status;
};

/** The rules that a new trust breaks; none if it was created. */
const brokenRules = async (fields: object): Promise<readonly string[]> => {
  const { problem } = await service.client.attempt(createTrust, {
    params: { workspace: fixture.workspace.id },
    body: { ...trustBody(fixture.repository), ...fields },
    as: fixture.systemAdmin.bearer,
  });
  return problem?.violations.map(({ rule }) => rule) ?? [];
};

describe.each(Object.entries(cases) as [TrustProvider, Expectation][])('A trust in pipelines of %s', (provider, of) => {
  const newTrust = (fields: object = {}) =>
    trustOf(fixture, { provider, issuer: issuer.url, conditions: [...of.conditions], ...fields });

  it('gives a token to each pipeline that is none of a pull request, and to no other', async () => {
    const { id } = await newTrust();
    expect(await exchange(id, of.claims)).toBe(200);
    const { claim = '', excluded = [], accepted = [] } = of.told ?? {};
    for (const value of excluded)
      expect([value, await exchange(id, { ...of.claims, [claim]: value })]).toEqual([value, 401]);
    for (const value of accepted)
      expect([value, await exchange(id, { ...of.claims, [claim]: value })]).toEqual([value, 200]);
  });

  it('gives none where no claim tells whether it is one of a pull request', async () => {
    const { id } = await newTrust();
    const claims = { ...of.claims, ...(of.told && { [of.told.claim]: undefined }) };
    expect(await exchange(id, claims)).toBe(of.told ? 401 : 200);
  });

  it('gives one to pull requests if it says so', async () => {
    const [onOwner] = of.conditions;
    const { id } = await newTrust({ allowsPullRequests: true, conditions: [onOwner] });
    const { claim = '', excluded = [] } = of.told ?? {};
    for (const value of excluded)
      expect([value, await exchange(id, { ...of.claims, [claim]: value })]).toEqual([value, 200]);
  });

  it('needs a condition on a claim that says whose pipeline runs', async () => {
    const rulesWith = (claim: string) =>
      brokenRules({
        provider,
        issuer: issuer.url,
        conditions: [{ claim, equals: '1' }, ...of.conditions.slice(1)],
      });
    for (const claim of of.ownerClaims) expect([claim, await rulesWith(claim)]).toEqual([claim, []]);
    for (const claim of of.otherClaims) expect([claim, await rulesWith(claim)]).toEqual([claim, ['subject']]);
  });

  it('is the only one that a known issuer may have', async () => {
    for (const known of of.knownIssuers)
      for (const other of trustProviders) {
        const rules = await brokenRules({ provider: other, issuer: known });
        expect([known, other, rules.includes('provider')]).toEqual([known, other, other !== provider]);
      }
    for (const similar of of.similarIssuers)
      expect([
        similar,
        await brokenRules({ provider: 'other', issuer: similar, conditions: cases.other.conditions }),
      ]).toEqual([similar, []]);
  });
});
