import { randomUUID } from 'node:crypto';
import { getRepository } from '../../functions/repositories/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { listWorkspaces } from '../../functions/workspaces/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { Table } from '../../shared/table/client.ts';
import { tokenKey, userKey } from '../../shared/table/keys.ts';
import { accountHeader } from '../harness/credentials.ts';
import { FunctionThread } from '../harness/function-thread.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, newPassword } from '../harness/world.ts';

const service = useService();
let admin: Actor;
let actor: Actor;
let workspace: Named;
let repository: Named;

beforeAll(async () => {
  const { world } = service;
  [admin, actor, workspace] = await Promise.all([world.systemAdmin(), world.user(), world.workspace()]);
  repository = await world.repository(workspace);
});

/** What the authorizer finds out about a user and a token. */
const contextOf = ({ userId, username, tokenId }: Actor) => ({ userId, username, tokenId });

describe.each([getCurrentUser, listWorkspaces, getRepository])('The function of $id', (contract: Contract) => {
  let endpoint: FunctionThread;
  beforeAll(() => {
    endpoint = new FunctionThread(contract.id);
  });
  afterAll(() => endpoint.stop());

  /** Calls the function past the gateway. Its headers hold a valid credential, and all that a context could hold. */
  const statusWith = async (authorizer: object | null | undefined): Promise<string> => {
    const headers = { Authorization: admin.bearer, ...contextOf(admin), principalId: admin.userId };
    const pathParameters = { workspace: workspace.id, repository: repository.id };
    const { outcome } = await endpoint.call({
      resource: contract.path,
      path: contract.path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof pathParameters) => pathParameters[name]),
      httpMethod: contract.method,
      headers,
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      multiValueQueryStringParameters: null,
      pathParameters,
      requestContext: { requestId: randomUUID(), identity: { sourceIp: '192.0.2.1' }, authorizer, path: '/' },
      body: null,
      isBase64Encoded: false,
    });
    return outcome;
  };

  it('answers 200 to the context of a caller, and 401 without one, whatever the headers say', async () => {
    expect(await statusWith(contextOf(admin))).toBe('200');
    for (const authorizer of [undefined, null, {}, { principalId: admin.userId }])
      expect(await statusWith(authorizer)).toBe('401');
  });

  it('answers 401 to a part of a context', async () => {
    const { userId, username, tokenId } = contextOf(admin);
    for (const part of [{ userId, username }, { userId, tokenId }, { username, tokenId }, { tokenId }])
      expect(await statusWith(part)).toBe('401');
    for (const name of ['userId', 'username', 'tokenId'])
      expect(await statusWith({ userId, username, tokenId, [name]: '' })).toBe('401');
  });

  it('answers 401 to a context that is put together of two callers, or of none', async () => {
    const own = contextOf(actor);
    const { userId, username, tokenId } = contextOf(admin);
    const forged = [
      { ...own, userId },
      { ...own, username },
      { ...own, tokenId },
      { ...own, userId, username },
      { userId, username, tokenId: randomUUID() },
      { userId, username, passwordVersion: randomUUID() },
      { userId: randomUUID(), username, tokenId },
    ];
    for (const context of forged) expect(await statusWith(context)).toBe('401');
  });
});

describe('A row that lacks an attribute', () => {
  const whoAmI = async (as: string) => service.client.call(getCurrentUser, { as, mayFail: true });

  const removed = (key: ReturnType<typeof tokenKey> | ReturnType<typeof userKey>, name: string) =>
    new Table().update({ update: key, set: `REMOVE #${name}` });

  it.each(['expirationDate', 'userId', 'username', 'tokenHash'])('proves nobody: a token without %s', async (name) => {
    const { token, tokenId } = await service.world.token(actor);
    const as = `Bearer ${token}`;
    expect((await whoAmI(as)).status).toBe(200);
    await removed(tokenKey(tokenId), name);
    // What decides is in the row that each request reads; the authorizer looks at the rest of it.
    if (name === 'expirationDate' || name === 'userId') expect((await whoAmI(as)).status).toBe(401);
    service.runner.clearAuthorizerCache();
    expect((await whoAmI(as)).status).toBeGreaterThan(400);
  });

  it.each(['userId', 'passwordVersion', 'passwordHash'])('proves nobody: a user without %s', async (name) => {
    const { account, username } = await service.world.user();
    expect((await whoAmI(account)).status).toBe(200);
    await removed(userKey(username), name);
    service.runner.clearAuthorizerCache();
    expect((await whoAmI(account)).status).toBeGreaterThan(400);
  });
});

describe('A username that nobody can have', () => {
  itAnswers('401 UNAUTHENTICATED and no key of the table contains it', async () => {
    service.proxy.forget();
    const names = ['a'.repeat(3_000), 'a b', 'robin#USER', 'Robin', 'é'];
    const answers = [];
    for (const name of names)
      answers.push(await service.client.call(getCurrentUser, { as: accountHeader(name, newPassword()) }));
    const keys = service.proxy.calls.flatMap((call) => call.keys);
    expect(
      keys.filter((key) => !/^(?:FAILURES|CHECKS)#/.test(key) || names.some((name) => key.includes(name))),
    ).toEqual([]);
    return answers;
  });
});
