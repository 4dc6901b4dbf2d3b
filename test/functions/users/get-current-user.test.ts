import { addWorkspaceMember, removeWorkspaceMember } from '../../../functions/members/contracts.ts';
import { listPersonalAccessTokens } from '../../../functions/tokens/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { deleteWorkspaceByReference } from '../../../functions/workspaces/contracts.ts';
import { bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();

const me = async (as: string) => service.client.call(getCurrentUser, { as });

describe('GET /1/users/me', () => {
  itAnswers('200 with the record of the caller and no token when a password came', async () => {
    const { userId, username, account } = await service.world.user();
    const answer = await me(account);
    expect(answer.result).toMatchObject({
      id: userId,
      userId,
      username,
      userRole: 'user',
      token: null,
      workspaces: [],
    });
    return answer;
  });

  itAnswers('200 with the token that the request came with, in either form, and until when it is valid', async () => {
    const actor = await service.world.user();
    const expirationDate = new Date(Date.now() + 3_600_000).toISOString();
    const { token, tokenId } = await service.world.token(actor, expirationDate);
    const answers = await Promise.all([actor.bearer, actor.tokenAsPassword, bearerHeader(token)].map(me));
    const forever = { id: actor.tokenId, name: 'ci', expirationDate: null, limits: null };
    expect(answers.map(({ result }) => result?.token)).toEqual([
      forever,
      forever,
      { id: tokenId, name: 'ci', expirationDate, limits: null },
    ]);
    return answers;
  });

  itAnswers('200 with the role in each workspace, in the order of names, and in no other', async () => {
    const actor = await service.world.user();
    const prefix = service.world.name('ws').slice(0, 20);
    const b = await service.world.workspace(`${prefix}-b`);
    const a = await service.world.workspace(`${prefix}.a`);
    await service.world.workspace(`${prefix}-c`);
    await service.world.member(a, 'member', actor);
    await service.world.member(b, 'admin', actor);
    const answer = await me(actor.bearer);
    expect(answer.result?.workspaces).toEqual([
      { workspaceId: b.id, name: b.name, role: 'admin' },
      { workspaceId: a.id, name: a.name, role: 'member' },
    ]);
    return answer;
  });

  itAnswers('200 without the workspaces that were deleted and those that one was removed from', async () => {
    const actor = await service.world.user();
    const [deleted, left, kept] = [
      await service.world.workspace(),
      await service.world.workspace(),
      await service.world.workspace(),
    ];
    for (const workspace of [deleted, left, kept]) await service.world.member(workspace, 'member', actor);
    const { bearer } = await service.world.systemAdmin();
    await service.client.succeed(deleteWorkspaceByReference, { params: { workspace: deleted.id }, as: bearer });
    const params = { workspace: left.id, user: actor.userId };
    await service.client.succeed(removeWorkspaceMember, { params, as: bearer });
    const answer = await me(actor.bearer);
    expect(answer.result?.workspaces.map(({ name }) => name)).toEqual([kept.name]);
    return answer;
  });

  itAnswers('401 UNAUTHENTICATED without a credential', async () => service.client.attempt(getCurrentUser, {}));

  const joined = async (count: number) => {
    const actor = await service.world.user();
    const workspaces = await Promise.all(Array.from({ length: count }, () => service.world.workspace()));
    for (const workspace of workspaces) await service.world.member(workspace, 'member', actor);
    return { actor, workspaces };
  };

  const operationsOf = async (as: string): Promise<string[]> => {
    service.proxy.forget();
    await me(as);
    return service.proxy.calls.map(({ operation }) => operation);
  };

  const unknown = ['BatchGetItem', 'Query', 'BatchGetItem'];

  it('asks the table for the caller, then lists and reads the workspaces, and later asks for all of them at once', async () => {
    const { actor } = await joined(5);
    const { token } = await service.world.token(actor);
    // The authorizer knows the token afterwards.
    await service.client.attempt(listPersonalAccessTokens, { as: bearerHeader(token) });
    expect(await operationsOf(bearerHeader(token))).toEqual(unknown);
    expect(await operationsOf(bearerHeader(token))).toEqual(['BatchGetItem']);
  });

  it('lists more than 40 workspaces each time: their keys would make the first read more than one call', async () => {
    const [most, more] = [await joined(40), await joined(41)];
    for (const { actor } of [most, more]) await me(actor.bearer);
    expect(await operationsOf(most.actor.bearer)).toEqual(['BatchGetItem']);
    expect(await operationsOf(more.actor.bearer)).toEqual(unknown);
  });

  it('shows every change of the workspaces at once, in a process that remembers them', async () => {
    const { actor, workspaces } = await joined(2);
    const [first, second] = workspaces as [Named, Named];
    const third = await service.world.workspace();
    const { bearer } = await service.world.systemAdmin();
    const { userId } = actor;
    const rolesAfter = async (change: () => Promise<unknown>) => {
      await change();
      // The second answer comes from what the first one has listed.
      const answers = [await me(actor.bearer), await me(actor.bearer)];
      const [roles, again] = answers.map(({ result }) =>
        Object.fromEntries(result?.workspaces.map(({ workspaceId, role }) => [workspaceId, role]) ?? []),
      );
      expect(again).toEqual(roles);
      return roles;
    };
    const both = { [first.id]: 'member', [second.id]: 'member' };
    expect(await rolesAfter(async () => {})).toEqual(both);
    for (const role of ['member', 'admin'] as const) {
      const params = { workspace: third.id };
      const roles = await rolesAfter(async () =>
        service.client.succeed(addWorkspaceMember, { params, body: { userId, role }, as: bearer }),
      );
      expect(roles).toEqual({ ...both, [third.id]: role });
    }
    const params = { workspace: third.id, user: userId };
    const removed = await rolesAfter(async () => service.client.succeed(removeWorkspaceMember, { params, as: bearer }));
    expect(removed).toEqual(both);
    const deleted = await rolesAfter(async () =>
      service.client.succeed(deleteWorkspaceByReference, { params: { workspace: first.id }, as: bearer }),
    );
    expect(deleted).toEqual({ [second.id]: 'member' });
  });
});
