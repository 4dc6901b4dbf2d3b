import { deleteContent } from '../../../functions/packages/contracts.ts';
import { getRepository } from '../../../functions/repositories/contracts.ts';
import { createPersonalAccessToken } from '../../../functions/tokens/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { isToken } from '../../../shared/auth/tokens.ts';
import { accountHeader, bearerHeader, tokenHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Actor } from '../../harness/world.ts';

const service = useService();
let owner: Actor;

beforeAll(async () => {
  owner = await service.world.user();
});

const create = (body: unknown, as = owner.bearer) => service.client.attempt(createPersonalAccessToken, { body, as });

const dateSentence =
  'expirationDate must be a future RFC 3339 date and time such as 2030-01-31T09:30:00Z, or null: never expires.';

describe('POST /1/users/personal-access-tokens', () => {
  itAnswers('201 with the token, told once', async () => {
    const answer = await create({ name: 'ci' });
    expect(answer.result).toMatchObject({ name: 'ci', expirationDate: null });
    expect(isToken(answer.result?.token ?? '')).toBe(true);
    return answer;
  });

  itAnswers('200 in both forms for who holds the new token, at once', async () => {
    const token = (await create({ name: 'ci' })).result?.token ?? '';
    const answers = await Promise.all(
      [bearerHeader(token), tokenHeader(token)].map((as) => service.client.call(getCurrentUser, { as })),
    );
    for (const { result } of answers) expect(result?.userId).toBe(owner.userId);
    return answers;
  });

  itAnswers('401 UNAUTHENTICATED for the token as the password of its user', async () => {
    const token = (await create({ name: 'ci' })).result?.token ?? '';
    return service.client.call(getCurrentUser, { as: accountHeader(owner.username, token) });
  });

  itAnswers('201 each time for one name, with another token', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'same' })));
    expect(new Set(answers.map(({ result }) => result?.token)).size).toBe(5);
    return answers;
  });

  itAnswers('201 for each name of 1 to 100 characters', async () => {
    const names = ['x', 'x'.repeat(100), '😀'.repeat(100), 'a#b', ' ', '👩\u200d🔧', '..', 'ü'];
    const answers = await Promise.all(names.map((name) => create({ name })));
    expect(answers.map(({ result }) => result?.name)).toEqual(names);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for each name with a character that nobody sees', async () => {
    const unseen = [
      '\u0000',
      '\u0001',
      '\t',
      '\n',
      '\u007f',
      '\u0085',
      '\u2028',
      '\u2029',
      '\u200b',
      '\u200e',
      '\u202e',
      '\u2060',
      '\u2066',
      '\u061c',
      '\ufeff',
      '\ufdd0',
      '\ufffe',
      '\uffff',
    ];
    const names = [...unseen, '\u{1fffe}', '\u{10fffe}', '\u{10ffff}'].flatMap((text) => [text, `ci${text}`]);
    const answers = await Promise.all(names.map((name) => create({ name })));
    const sentence =
      'name must be a string of 1 to 100 characters, without control, direction and zero-width characters, line breaks and noncharacters.';
    const outcomes = answers.map(({ status, problem }, at) => [names[at], status, problem?.detail]);
    expect(outcomes).toEqual(names.map((name) => [name, 400, sentence]));
    return answers;
  });

  itAnswers('400 BODY_MALFORMED for a name with half of a surrogate pair', () =>
    service.client.sendTo(createPersonalAccessToken, {
      headers: [
        ['Authorization', owner.bearer],
        ['Content-Type', 'application/json'],
      ],
      body: '{"name":"a\\ud800"}',
    }),
  );

  itAnswers('201 with the expiration date in UTC with milliseconds, however it was written', async () => {
    const dates = {
      '2031-01-31T09:30:00Z': '2031-01-31T09:30:00.000Z',
      '2031-01-31t09:30:00z': '2031-01-31T09:30:00.000Z',
      '2031-01-31T09:30:00.5+02:00': '2031-01-31T07:30:00.500Z',
      '2032-02-29T23:59:59.999999999-00:30': '2032-03-01T00:29:59.999Z',
    };
    const answers = await Promise.all(
      Object.keys(dates).map((expirationDate) => create({ name: 'ci', expirationDate })),
    );
    expect(answers.map(({ result }) => result?.expirationDate)).toEqual(Object.values(dates));
    return answers;
  });

  it('gives a token that is made with a token its expiration, unless an earlier one is sent', async () => {
    const until = new Date(Date.now() + 60_000).toISOString();
    const earlier = new Date(Date.now() + 30_000).toISOString();
    const first = (await create({ name: 'short', expirationDate: until }, owner.account)).result?.token ?? '';
    for (const as of [bearerHeader(first), tokenHeader(first)]) {
      const dates = await Promise.all(
        [{}, { expirationDate: null }, { expirationDate: until }, { expirationDate: earlier }].map(
          async (body) => (await create({ name: 'made', ...body }, as)).result?.expirationDate,
        ),
      );
      expect(dates).toEqual([until, until, until, earlier]);
    }
    const second = (await create({ name: 'made' }, bearerHeader(first))).result?.token ?? '';
    expect((await create({ name: 'made' }, bearerHeader(second))).result?.expirationDate).toBe(until);
  });

  itAnswers('400 REQUEST_INVALID for a token that would outlive the token of the request', async () => {
    const until = new Date(Date.now() + 60_000).toISOString();
    const { token } = (await create({ name: 'short', expirationDate: until }, owner.account)).result ?? {};
    const later = new Date(Date.parse(until) + 1).toISOString();
    const answers = await Promise.all(
      [later, '2099-01-31T09:30:00+02:00'].map((expirationDate) =>
        create({ name: 'made', expirationDate }, bearerHeader(token ?? '')),
      ),
    );
    const message = `expirationDate must be at most ${until}, when the token of this request expires. Send your password for a token that lasts longer.`;
    for (const { problem } of answers)
      expect(problem?.violations).toEqual([{ pointer: '/expirationDate', rule: 'outlives', message }]);
    return answers;
  });

  itAnswers('201 with null for a token that never expires', async () => {
    const answer = await create({ name: 'ci', expirationDate: null });
    expect(answer.result?.expirationDate).toBeNull();
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for each expiration date that is no moment to come', async () => {
    const dates = [
      '',
      'tomorrow',
      '2020-01-01T00:00:00Z',
      new Date().toISOString(),
      '2031-01-31',
      '2031-01-31T09:30:00',
      '2031-01-31 09:30:00Z',
      '2031-02-30T09:30:00Z',
      '2031-02-29T09:30:00Z',
      '2031-13-01T09:30:00Z',
      '2031-01-31T24:00:00Z',
      '2031-01-31T25:00:00Z',
      '2031-01-31T09:60:00Z',
      '2031-01-31T09:30:00+24:00',
      '2031-01-31T09:30:00+02:60',
      '+012031-01-31T09:30:00Z',
      '2031-01-31T09:30:00Z\n',
      '9999-12-31T23:59:59-12:00',
    ];
    const answers = await Promise.all(dates.map((expirationDate) => create({ name: 'ci', expirationDate })));
    const outcomes = answers.map(({ status, problem }, at) => [dates[at], status, problem?.detail]);
    expect(outcomes).toEqual(dates.map((date) => [date, 400, dateSentence]));
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for each field of another type, none coerced', async () => {
    const bodies = [
      { name: 1 },
      { name: null },
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'ci', expirationDate: 1_900_000_000 },
      { name: 'ci', expirationDate: true },
      { name: 'ci', userId: owner.userId },
      {},
    ];
    return Promise.all(bodies.map((body) => create(body)));
  });

  itAnswers('400 REQUEST_INVALID with the violations of the schema and of the date together', async () => {
    const answer = await create({ expirationDate: '2020-01-01T00:00:00Z', scope: 'all' });
    expect(answer.problem?.violations.map(({ pointer }) => pointer).toSorted()).toEqual([
      '/expirationDate',
      '/name',
      '/scope',
    ]);
    return answer;
  });

  itAnswers('201 with limits to what the user sees, by ID or by name, which each request then meets', async () => {
    const { world, client } = service;
    const [workspace, other] = [await world.workspace(), await world.workspace()];
    const [repository, hidden] = [await world.repository(workspace), await world.repository(workspace)];
    await world.member(workspace, 'member', owner);
    await world.grant(workspace, repository, owner, 'canManage');
    await world.member(other, 'member', owner);
    const workspaces = [
      { workspaceReference: workspace.name, repositoryReferences: [repository.name] },
      { workspaceReference: other.id.toUpperCase() },
    ];
    const answer = await create({ name: 'ci', limits: { workspaces, repositoryPermissionLevel: 'canView' } });
    expect(answer.result?.limits).toEqual({
      workspaces: expect.arrayContaining([
        { workspaceId: workspace.id, repositoryIds: [repository.id] },
        { workspaceId: other.id, repositoryIds: [] },
      ]),
      repositoryPermissionLevel: 'canView',
      readOnly: false,
    });
    const as = bearerHeader(answer.result?.token ?? '');
    const params = { workspace: workspace.id, repository: repository.id };
    expect((await client.call(getRepository, { params, as })).status).toBe(200);
    expect((await client.call(deleteContent, { params, as })).code).toBe('FORBIDDEN');
    await world.grant(workspace, hidden, owner, 'canManage');
    const beyond = { ...params, repository: hidden.id };
    expect((await client.call(getRepository, { params: beyond, as })).code).toBe('REPOSITORY_NOT_FOUND');
    return answer;
  });

  itAnswers(
    '400 REQUEST_INVALID naming each workspace and repository of the limits that the user does not see',
    async () => {
      const { world } = service;
      const [workspace, foreign] = [await world.workspace(), await world.workspace()];
      const [hidden, elsewhere] = [await world.repository(workspace), await world.repository(foreign)];
      await world.member(workspace, 'member', owner);
      const workspaces = [
        { workspaceReference: workspace.id, repositoryReferences: [hidden.name, elsewhere.id, 'nowhere'] },
        { workspaceReference: foreign.name },
        { workspaceReference: workspace.name },
      ];
      const answer = await create({ name: 'ci', limits: { workspaces } });
      expect(answer.problem?.violations.map(({ pointer, rule }) => `${pointer} ${rule}`)).toEqual([
        '/limits/workspaces/0/repositoryReferences/0 exists',
        '/limits/workspaces/0/repositoryReferences/1 exists',
        '/limits/workspaces/0/repositoryReferences/2 exists',
        '/limits/workspaces/1/workspaceReference exists',
        '/limits/workspaces/2/workspaceReference distinct',
      ]);
      return answer;
    },
  );

  itAnswers('400 REQUEST_INVALID for limits that limit nothing, or name too many repositories', async () => {
    const many = Array.from({ length: 2 }, (_, index) => ({
      workspaceReference: `w${index}`,
      repositoryReferences: Array.from({ length: 51 }, (__, position) => `r${position}`),
    }));
    const limits = [{}, { readOnly: false }, { workspaces: [] }, { workspaces: many }, { readOnly: 'yes' }, 'all'];
    return Promise.all(limits.map((each) => create({ name: 'ci', limits: each })));
  });

  itAnswers('201 with null for each limit that is absent', async () => {
    const { world } = service;
    const workspace = await world.workspace();
    await world.member(workspace, 'member', owner);
    const ofAll = { workspaces: null, repositoryPermissionLevel: null, readOnly: true };
    const ofWorkspace = [{ workspaceReference: workspace.name, repositoryReferences: null }];
    const answers = [
      await create({ name: 'ci', limits: ofAll }),
      await create({ name: 'ci', limits: { workspaces: ofWorkspace, readOnly: null } }),
    ];
    expect(answers.map(({ result }) => result?.limits)).toEqual([
      { workspaces: [], repositoryPermissionLevel: null, readOnly: true },
      {
        workspaces: [{ workspaceId: workspace.id, repositoryIds: [] }],
        repositoryPermissionLevel: null,
        readOnly: false,
      },
    ]);
    return answers;
  });

  itAnswers('403 FORBIDDEN for a token with limits, whatever they are', async () => {
    const each = [{ level: 'canManage' }, { readOnly: true }, { workspaces: {} }] as const;
    const tokens = await Promise.all(each.map((limits) => service.world.token(owner, null, limits)));
    const answers = await Promise.all(tokens.map(({ token }) => create({ name: 'ci' }, bearerHeader(token))));
    expect(answers.map(({ problem }) => problem?.detail)).toEqual([
      'This token has limits, and may not create a personal access token: send a token without limits, or a password.',
      'This token may only read, and may not create a personal access token: send a token without limits, or a password.',
      'This token has limits, and may not create a personal access token: send a token without limits, or a password.',
    ]);
    return answers;
  });

  itAnswers('201 when the reply of the table was lost after it committed', async () => {
    const functionId = createPersonalAccessToken.id;
    service.proxy.inject({ fault: 'commit-then-drop', functionId, operation: 'TransactWriteItems', times: 1 });
    return create({ name: 'ci' });
  });
});
