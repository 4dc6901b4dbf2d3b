import { removeWorkspaceMember } from '../../../functions/members/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { deleteWorkspaceByReference } from '../../../functions/workspaces/contracts.ts';
import { bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

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

  it('asks the table for the caller and the workspaces, in three calls however many there are', async () => {
    const actor = await service.world.user();
    for (let count = 0; count < 5; count += 1)
      await service.world.member(await service.world.workspace(), 'member', actor);
    await me(actor.bearer);
    service.proxy.forget();
    await me(actor.bearer);
    expect(service.proxy.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'Query', 'BatchGetItem']);
  });
});
