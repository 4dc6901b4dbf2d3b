import { createNpmToken } from '../../../functions/npm/contracts.ts';
import { listPersonalAccessTokens } from '../../../functions/tokens/contracts.ts';
import { getCurrentUser, updateUser } from '../../../functions/users/contracts.ts';
import { newToken } from '../../../shared/auth/tokens.ts';
import type { Answer } from '../../harness/client.ts';
import { accountHeader, bearerHeader } from '../../harness/credentials.ts';
import { FunctionThread } from '../../harness/function-thread.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, useNpmRepository } from '../../harness/npm.ts';
import { useService } from '../../harness/service.ts';
import { type Actor, type Named, newPassword, uniqueName } from '../../harness/world.ts';

const service = useService();
const npm = useNpmRepository(service);
let viewer: Actor;
let disabled: Actor;

const memberWith = async (level: 'canView'): Promise<Actor> => {
  const { workspace, repository } = npm.setting;
  const actor = await service.world.member(workspace);
  await service.world.grant(workspace, repository, actor, level);
  return actor;
};

beforeAll(async () => {
  [viewer, disabled] = await Promise.all([memberWith('canView'), memberWith('canView')]);
  await service.world.disable(disabled);
});

/** What npm sends as the body of a login. */
const loginBody = (name: string, password?: string) => ({
  _id: `org.couchdb.user:${name}`,
  name,
  password,
  type: 'user',
  roles: [],
  date: new Date().toISOString(),
});

interface Login {
  readonly as?: string;
  readonly repository?: Named;
  readonly suffix?: string;
}

const login = (name: string, password: string | undefined, { as, repository, suffix = '' }: Login = {}) => {
  const { workspace } = npm.setting;
  const address = `/npm/${workspace.name}/${(repository ?? npm.setting.repository).name}`;
  return service.client.sendTo(createNpmToken, {
    path: `${address}/-/user/org.couchdb.user:${encodeURIComponent(name)}${suffix}`,
    headers: [['Content-Type', 'application/json'], ...(as === undefined ? [] : [['Authorization', as] as const])],
    body: JSON.stringify(loginBody(name, password)),
  });
};

const tokenIn = ({ result }: Answer): string => (result as { token: string }).token;

describe('PUT /npm/{workspace}/{repository}/-/user/org.couchdb.user:{name}', () => {
  itAnswers('201 with a new token that works, is named after npm and the day, and lasts 90 days', async () => {
    const before = Date.now();
    const answer = await login(viewer.username, viewer.password);
    const token = tokenIn(answer);
    expect(answer.result).toMatchObject({ ok: true, id: `org.couchdb.user:${viewer.username}` });
    const { userId } = await service.client.succeed(getCurrentUser, { as: bearerHeader(token) });
    expect(userId).toBe(viewer.userId);
    const listed = await service.client.succeed(listPersonalAccessTokens, { as: viewer.bearer });
    const made = listed.find(({ name }) => name === `npm login ${new Date(before).toISOString().slice(0, 10)}`);
    const days = (Date.parse(made?.expirationDate ?? '') - before) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(90);
    expect(days).toBeLessThan(90.01);
    return answer;
  });

  itAnswers('201 with a token that works, after all tokens of the user were revoked', async () => {
    const user = await memberWith('canView');
    await service.client.succeed(updateUser, {
      params: { user: user.userId },
      body: { revokeTokens: true },
      as: npm.setting.admin.bearer,
    });
    const answer = await login(user.username, user.password);
    await service.client.succeed(getCurrentUser, { as: bearerHeader(tokenIn(answer)) });
    return answer;
  });

  itAnswers('201 whatever old credential comes along, and for the paths of a revision', async () => {
    const expired = await service.world.token(viewer, new Date(Date.now() - 1).toISOString());
    const answers = [
      await login(viewer.username, viewer.password, { as: bearerHeader(expired.token) }),
      await login(viewer.username, viewer.password, { as: bearerHeader(newToken()) }),
      await login(viewer.username, viewer.password, { as: npm.setting.admin.bearer }),
      await login(viewer.username, viewer.password, { suffix: '/-rev/1-abc' }),
    ];
    for (const answer of answers) {
      const { userId } = await service.client.succeed(getCurrentUser, { as: bearerHeader(tokenIn(answer)) });
      expect(userId).toBe(viewer.userId);
    }
    expect(new Set(answers.map(tokenIn)).size).toBe(answers.length);
    return answers;
  });

  itAnswers('201 with the same token, for a token in the header or as the password of the user token', async () => {
    service.proxy.forget();
    const answers = [
      await login(viewer.username, undefined, { as: viewer.bearer }),
      await login(viewer.username, undefined, { as: viewer.tokenAsPassword }),
      await login('token', viewer.token),
    ];
    for (const answer of answers) expect(tokenIn(answer)).toBe(viewer.token);
    expect(service.proxy.writes.filter(({ functionId }) => functionId === createNpmToken.id)).toEqual([]);
    return answers;
  });

  itAnswers('201 with the same token for one with limits, also to reading, which makes no other one', async () => {
    const { workspace, repository } = npm.setting;
    const kinds = [
      { readOnly: true },
      { level: 'canView' },
      { workspaces: { [workspace.id]: [repository.id] }, readOnly: true },
    ] as const;
    const tokens = await Promise.all(
      kinds.map(async (limits) => (await service.world.token(viewer, null, limits)).token),
    );
    service.proxy.forget();
    const answers = await Promise.all(
      tokens.flatMap((token) => [
        login('token', token),
        login(viewer.username, undefined, { as: bearerHeader(token) }),
      ]),
    );
    expect(answers.map(tokenIn)).toEqual(tokens.flatMap((token) => [token, token]));
    expect(service.proxy.writes.filter(({ functionId }) => functionId === createNpmToken.id)).toEqual([]);
    return answers;
  });

  itAnswers('201 for a password in the header, and then for a body with none', async () => {
    const { workspace, repository } = npm.setting;
    return [
      await login(viewer.username, undefined, { as: viewer.account }),
      await service.client.sendTo(createNpmToken, {
        path: `/npm/${workspace.id}/${repository.id}/-/user/org.couchdb.user:${viewer.username}`,
        headers: [
          ['Content-Type', 'application/json'],
          ['Authorization', viewer.account],
        ],
      }),
    ];
  });

  itAnswers('401 UNAUTHENTICATED in the same words, whether the user, the password or the token is wrong', async () => {
    service.proxy.forget();
    const answers = [
      await login(viewer.username, newPassword()),
      await login(uniqueName(), viewer.password),
      await login('NOBODY:', viewer.password),
      await login(disabled.username, disabled.password),
      await login(viewer.username, viewer.token),
      await login('token', viewer.password),
      await login(viewer.username, undefined),
      await login(viewer.username, undefined, { as: bearerHeader(newToken()) }),
      await login(disabled.username, undefined, { as: disabled.bearer }),
      await login(viewer.username, undefined, { as: accountHeader(viewer.username, newPassword()) }),
      // A wrong password is not made good by another credential.
      await login(viewer.username, newPassword(), { as: viewer.bearer }),
    ];
    expect([
      ...new Set(answers.map(({ problem, text }) => text.replaceAll(problem?.requestId ?? '', ''))),
    ]).toHaveLength(1);
    for (const answer of answers) expect(errorOf(answer)).toBe(answer.problem?.detail);
    // npm sends what people typed: they know of no header.
    expect(answers[0]?.problem?.detail).toMatch(
      /^The username, the password .* Users are created by a System Admin\.$/,
    );
    expect(service.proxy.writes).toEqual([]);
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND where the user may not read, and for another package type', async () => {
    const { workspace } = npm.setting;
    const member = await service.world.member(workspace);
    const repository = await service.world.repository(workspace, undefined, 'universal');
    const { username, password } = await service.world.systemAdmin();
    service.proxy.forget();
    const answers = [await login(member.username, member.password), await login(username, password, { repository })];
    expect(service.proxy.writes).toEqual([]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for a path that names no user', async () =>
    Promise.all(
      ['alice', 'org.couchdb.user:', 'org.couchdb.user:alice/more'].map((path) =>
        npm.send(createNpmToken, `-/user/${path}`, { body: {} }),
      ),
    ),
  );

  itAnswers('400 BODY_MALFORMED for a body that is no JSON object', async () =>
    Promise.all(['{', '[]', '"x"'].map((body) => npm.send(createNpmToken, '-/user/org.couchdb.user:a', { body }))),
  );

  it('logs who logged in, and nothing of the password or the token', async () => {
    const from = service.logs.length;
    const token = tokenIn(await login(viewer.username, viewer.password));
    const lines = service.logs.slice(from).join('\n');
    expect(lines).toContain(`"principalId":"${viewer.userId}"`);
    expect(lines).toContain(`/-/user/org.couchdb.user:${viewer.username}`);
    expect(lines).not.toContain(token);
    expect(lines).not.toContain(viewer.password);
  });
});

describe('what a login costs', () => {
  let thread: FunctionThread;
  beforeAll(() => {
    thread = new FunctionThread(createNpmToken.id);
  });
  afterAll(() => thread.stop());

  const call = (name: string, password: string) => {
    const { workspace, repository } = npm.setting;
    const path = `/npm/${workspace.id}/${repository.id}/-/user/org.couchdb.user:${name}`;
    return thread.call({
      resource: createNpmToken.path,
      path,
      httpMethod: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      multiValueHeaders: { 'Content-Type': ['application/json'] },
      requestContext: {
        requestId: 'login',
        path,
        httpMethod: 'PUT',
        resourcePath: createNpmToken.path,
        identity: { sourceIp: '10.1.1.1' },
      },
      body: JSON.stringify(loginBody(name, password)),
      isBase64Encoded: false,
    });
  };

  it.each([
    ['an unknown user', () => [uniqueName(), newPassword()]],
    ['a wrong password', () => [viewer.username, newPassword()]],
    ['a disabled user with the right password', () => [disabled.username, disabled.password]],
  ] as const)('is one hash for %s, each time', async (_, credential) => {
    const [name, password] = credential() as [string, string];
    const refused = { outcome: '401', hashes: 1 };
    expect([await call(name, password), await call(name, password)]).toEqual([refused, refused]);
  });

  it('is one hash for the right password, and none once it was proven', async () => {
    const { username, password } = viewer;
    expect(await call(username, password)).toEqual({ outcome: '201', hashes: 1 });
    expect(await call(username, password)).toEqual({ outcome: '201', hashes: 0 });
  });
});
