import { createTrust, listTrusts, updateTrust } from '../../../functions/trusts/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { audience, trustBody } from '../../harness/trusts.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService({ environment: {} });
let workspace: Named;
let repository: Named;
let as: string;

beforeAll(async () => {
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
  as = (await service.world.systemAdmin()).bearer;
});

const create = (body: object) =>
  service.client.attempt(createTrust, { params: { workspace: workspace.name }, body, as });
const onRepository = { claim: 'repository_id', equals: '1' };

describe('A trust', () => {
  itAnswers('201 with the issuer and the ready-made conditions of its provider', async () => {
    const body = trustBody(repository);
    const { admin, ...answer } = { admin: await service.world.systemAdmin(), ...(await create(body)) };
    expect(answer.result).toEqual({
      id: expect.any(String),
      workspaceId: workspace.id,
      name: body.name,
      provider: 'github',
      issuer: 'https://token.actions.githubusercontent.com',
      audience,
      conditions: [{ claim: 'repository_id', equals: '123456789' }],
      readyMadeConditions: [{ claim: 'event_name', excludes: ['pull_request*'] }],
      allowsPullRequests: false,
      repositories: [
        { repositoryId: repository.id, repositoryName: repository.name, repositoryPermissionLevel: 'canDeploy' },
      ],
      lifetimeSeconds: 3600,
      createdAt: expect.any(String),
      createdBy: admin.userId,
      lastUsedAt: null,
    });
    return answer;
  });

  itAnswers('201 with null for the part of a condition that is absent', async () => {
    const conditions = [
      { ...onRepository, matches: null },
      { claim: 'sub', equals: null, matches: 'repo:acme/app:*' },
    ];
    const answer = await create(trustBody(repository, { conditions }));
    expect(answer.result?.conditions).toEqual([onRepository, { claim: 'sub', matches: 'repo:acme/app:*' }]);
    const neither = await create(
      trustBody(repository, { conditions: [{ claim: 'sub', equals: null, matches: null }] }),
    );
    expect(neither.problem?.violations).toMatchObject([{ pointer: '/conditions/0', rule: 'oneOf' }]);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID with all that is wrong at once, in the repositories as in the terms', async () => {
    const repositories = [{ repositoryReference: 'none', repositoryPermissionLevel: 'canView' }];
    const fields = {
      audience: 'https://github.com/acme',
      conditions: [{ claim: 'ref', equals: 'main' }],
      repositories,
    };
    const answers = [
      await create({ ...trustBody(repository), ...fields, issuer: 'http://id.example.com' }),
      await create({ ...trustBody(repository), ...fields, audience: 'mine', provider: 'other' }),
    ];
    const { id } = await service.client.succeed(createTrust, {
      params: { workspace: workspace.name },
      body: trustBody(repository),
      as,
    });
    const params = { workspace: workspace.name, trust: id };
    const changed = await service.client.attempt(updateTrust, { params, body: fields, as });
    expect([...answers, changed].map(({ problem }) => problem?.violations.map(({ pointer }) => pointer))).toEqual([
      ['/issuer', '/audience', '/conditions', '/repositories/0/repositoryReference'],
      ['/issuer', '/conditions', '/repositories/0/repositoryReference'],
      ['/audience', '/conditions', '/repositories/0/repositoryReference'],
    ]);
    return [...answers, changed];
  });

  itAnswers('409 TRUST_NAME_TAKEN when a trust of the workspace has the name', async () => {
    const name = uniqueName();
    expect((await create(trustBody(repository, { name }))).status).toBe(201);
    return create(trustBody(repository, { name }));
  });

  it('is listed once, when two requests create it at the same time', async () => {
    const name = uniqueName();
    const answers = await Promise.all([1, 2, 3].map(() => create(trustBody(repository, { name }))));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409]);
    const listed = await service.client.succeed(listTrusts, { params: { workspace: workspace.id }, as });
    expect(listed.filter((trust) => trust.name === name)).toHaveLength(1);
  });

  const refusals: readonly (readonly [string, object, string])[] = [
    ['no condition on a subject', { conditions: [{ claim: 'ref', equals: 'refs/heads/main' }] }, 'subject'],
    [
      'only a condition on a claim that a reusable workflow of anybody has',
      { conditions: [{ claim: 'job_workflow_ref', equals: 'acme/ci/.github/workflows/x.yml@refs/heads/main' }] },
      'subject',
    ],
    [
      'a subject that is not about its owner',
      { conditions: [{ claim: 'sub', equals: 'ref:refs/heads/main' }] },
      'subject',
    ],
    ['a glob for such subjects', { conditions: [{ claim: 'sub', matches: 'environment:prod:*' }] }, 'subject'],
    [
      'a subject of a workflow that anybody may call',
      { conditions: [{ claim: 'sub', equals: 'job_workflow_ref:acme/ci/.github/workflows/x.yml@refs/heads/main' }] },
      'subject',
    ],
    [
      'a subject of GitLab that is only about a branch',
      { provider: 'gitlab', conditions: [{ claim: 'sub', matches: 'ref_type:branch:*' }] },
      'subject',
    ],
    [
      'a subject of Buildkite that is only about a step',
      { provider: 'buildkite', conditions: [{ claim: 'sub', equals: 'step:release' }] },
      'subject',
    ],
    ['a glob for everybody', { conditions: [{ claim: 'sub', matches: '*' }] }, 'owner'],
    ['a glob for all owners', { conditions: [{ claim: 'sub', matches: 'repo:*' }] }, 'owner'],
    ['a glob for names that begin like the owner', { conditions: [{ claim: 'sub', matches: 'repo:acme*' }] }, 'owner'],
    [
      'a glob beside a good condition',
      { conditions: [onRepository, { claim: 'sub', matches: 'repo:*/app:*' }] },
      'owner',
    ],
    ['the default audience of GitHub', { audience: 'https://github.com/acme' }, 'ownAudience'],
    ['the default audience of GitLab', { provider: 'gitlab', audience: 'https://gitlab.com' }, 'ownAudience'],
    [
      'the default audience of Buildkite',
      { provider: 'buildkite', audience: 'https://buildkite.com/acme' },
      'ownAudience',
    ],
    [
      'the default audience of CircleCI',
      { provider: 'circleci', issuer: 'https://oidc.circleci.com/org/f3a1', audience: 'f3a1' },
      'ownAudience',
    ],
    [
      'the issuer as audience',
      { provider: 'other', issuer: 'https://id.example.com', audience: 'https://id.example.com' },
      'ownAudience',
    ],
    [
      'a known issuer under another name',
      { provider: 'other', issuer: 'https://token.actions.githubusercontent.com' },
      'provider',
    ],
    ['no issuer where nobody shares one', { provider: 'circleci' }, 'required'],
    [
      'no repository of CircleCI, so that forks would do',
      {
        provider: 'circleci',
        issuer: 'https://oidc.circleci.com/org/f3a1',
        conditions: [{ claim: 'oidc.circleci.com/project-id', equals: '1' }],
      },
      'fork',
    ],
    ['http', { issuer: 'http://id.example.com' }, 'https'],
    ['another scheme', { issuer: 'ftp://id.example.com' }, 'uri'],
    ['a query in the issuer', { issuer: 'https://id.example.com/?a=b' }, 'uri'],
    ['a user in the issuer', { issuer: 'https://a:b@id.example.com' }, 'uri'],
    ['an issuer that a URL parser would change', { issuer: 'https://id.example.com/a/../b' }, 'uri'],
    ['a private issuer', { issuer: 'https://10.0.0.1' }, 'public'],
    ['the metadata of the machine as issuer', { issuer: 'https://169.254.169.254' }, 'public'],
    ['the loopback as issuer', { issuer: 'https://localhost' }, 'public'],
    ['a condition with both', { conditions: [{ claim: 'sub', equals: 'a', matches: 'a' }] }, 'oneOf'],
    ['a condition with neither', { conditions: [{ claim: 'sub' }] }, 'oneOf'],
    ['a glob on another claim', { conditions: [onRepository, { claim: 'ref', matches: 'refs/*' }] }, 'subjectOnly'],
    ['more than an hour', { lifetimeSeconds: 3601 }, 'maximum'],
    ['no condition at all', { conditions: [] }, 'minItems'],
    ['no repository', { repositories: [] }, 'minItems'],
    [
      'an unknown repository',
      { repositories: [{ repositoryReference: 'none', repositoryPermissionLevel: 'canView' }] },
      'exists',
    ],
  ];

  it.each(refusals)('with %s is refused with a sentence', async (_, fields, rule) => {
    const body = { ...trustBody(repository), ...fields };
    const { status, problem } = await create(body);
    expect([status, problem?.violations.map((violation) => violation.rule)]).toEqual([
      400,
      expect.arrayContaining([rule]),
    ]);
    expect(problem?.detail).toMatch(/\.$/);
  });

  itAnswers('400 REQUEST_INVALID when a repository occurs by its ID and by its name', async () => {
    const level = 'canView';
    const repositories = [repository.id, repository.name].map((repositoryReference) => ({
      repositoryReference,
      repositoryPermissionLevel: level,
    }));
    const answer = await create({ ...trustBody(repository), repositories });
    expect(answer.problem?.violations.map(({ message }) => message)).toEqual([
      `repositories[1].repositoryReference '${repository.name}' and repositories[0].repositoryReference '${repository.id}' are the same repository; list it once.`,
    ]);
    return answer;
  });

  it.each([
    ['gitlab', undefined, [{ claim: 'project_id', equals: '1' }]],
    ['github', undefined, [{ claim: 'sub', matches: 'repo:acme/app:ref:refs/heads/*' }]],
    ['github', undefined, [{ claim: 'sub', equals: 'repository_owner_id:123456' }]],
    ['gitlab', undefined, [{ claim: 'sub', matches: 'project_path:acme/app:*' }]],
    ['buildkite', undefined, [{ claim: 'sub', matches: 'organization:acme:pipeline:app:*' }]],
    [
      'circleci',
      'https://oidc.circleci.com/org/f3a1',
      [
        { claim: 'sub', matches: 'org/f3a1/project/*' },
        { claim: 'oidc.circleci.com/vcs-origin', equals: 'github.com/acme/app' },
      ],
    ],
    ['other', 'https://id.example.com/realms/ci', [{ claim: 'sub', equals: 'system:serviceaccount:ci:release' }]],
    ['github', 'https://github.acme.example/_services/token', [onRepository]],
  ])('in pipelines of %s is created', async (provider, issuer, conditions) => {
    const { text, status } = await create({ ...trustBody(repository), provider, issuer, conditions });
    expect([status, text]).toEqual([201, expect.any(String)]);
  });
});
