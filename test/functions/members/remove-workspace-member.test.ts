import { randomUUID } from 'node:crypto';
import { listWorkspaceMembers, removeWorkspaceMember } from '../../../functions/members/contracts.ts';
import { getRepository, listRepositories } from '../../../functions/repositories/contracts.ts';
import { getWorkspace, listWorkspaces } from '../../../functions/workspaces/contracts.ts';
import { statusCounts } from '../../harness/concurrency.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { rowsOf } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const remove = async (user: string, as?: string) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.call(removeWorkspaceMember, { params: { workspace: workspace.id, user }, as: as ?? bearer });
};

const sees = async ({ bearer }: Actor) =>
  (await service.client.call(getWorkspace, { params: { workspace: workspace.id }, as: bearer })).status;

describe('DELETE /1/workspaces/{workspace}/members/{user}', () => {
  itAnswers('200 by ID, by ID in capitals and by username, for members and admins', async () => {
    const actors = [
      await service.world.member(workspace),
      await service.world.member(workspace, 'admin'),
      await service.world.member(workspace, 'admin'),
    ] as const;
    const [byId, byCapitals, byName] = actors;
    const answers = [
      await remove(byId.userId),
      await remove(byCapitals.userId.toUpperCase()),
      await remove(byName.username),
    ];
    expect(answers.map(({ result }) => result)).toEqual(
      actors.map(({ userId }) => ({ workspaceId: workspace.id, userId, status: 'deleted' })),
    );
    expect(await Promise.all(actors.map(sees))).toEqual([404, 404, 404]);
    return answers;
  });

  itAnswers('200 for an admin who leaves, and who is then a stranger', async () => {
    const admin = await service.world.member(workspace, 'admin');
    const answer = await remove(admin.username, admin.bearer);
    expect((await remove(admin.username, admin.bearer)).code).toBe('WORKSPACE_NOT_FOUND');
    expect(rowsOf(await service.client.call(listWorkspaces, { as: admin.bearer }))).toEqual([]);
    return answer;
  });

  it('ends every permission of the user in the workspace, also once the user is back', async () => {
    const repository = await service.world.repository(workspace);
    const actor = await service.world.member(workspace);
    await service.world.grant(workspace, repository, actor, 'canManage');
    await remove(actor.userId);
    await service.world.member(workspace, 'member', actor);
    const params = { workspace: workspace.id };
    expect(rowsOf(await service.client.call(listRepositories, { params, as: actor.bearer }))).toEqual([]);
    for (const reference of [repository.id, repository.name]) {
      const input = { params: { ...params, repository: reference }, as: actor.bearer };
      expect((await service.client.call(getRepository, input)).code).toBe('REPOSITORY_NOT_FOUND');
    }
  });

  it('leaves the other members and the other workspaces of the user as they are', async () => {
    const other = await service.world.workspace();
    const [actor, neighbour] = [await service.world.member(workspace), await service.world.member(workspace)];
    await service.world.member(other, 'admin', actor);
    await remove(actor.username);
    expect(await sees(neighbour)).toBe(200);
    const listed = rowsOf(await service.client.call(listWorkspaces, { as: actor.bearer }));
    expect(listed).toEqual([expect.objectContaining({ id: other.id, role: 'admin' })]);
    const members = await service.client.call(listWorkspaceMembers, {
      params: { workspace: other.id },
      as: actor.bearer,
    });
    expect(rowsOf(members)).toHaveLength(1);
  });

  itAnswers(
    '404 MEMBER_NOT_FOUND alike for who was removed, who never was a member, and who does not exist',
    async () => {
      const [removed, stranger] = [await service.world.member(workspace), await service.world.user()];
      await remove(removed.username);
      service.proxy.forget();
      const references = [removed, stranger].flatMap(({ userId, username }) => [userId, username]);
      const answers = [];
      for (const reference of [...references, randomUUID(), service.world.name(), 'me', '#', 'A b'])
        answers.push(await remove(reference));
      expect([...new Set(answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', '')))]).toHaveLength(
        1,
      );
      expect(service.proxy.writes).toEqual([]);
      return answers;
    },
  );

  itAnswers('200 again for a user who came back, by the username that this process knows', async () => {
    const actor = await service.world.member(workspace);
    const answers = [];
    for (let round = 0; round < 3; round += 1) {
      answers.push(await remove(actor.username));
      expect((await remove(actor.username)).code).toBe('MEMBER_NOT_FOUND');
      await service.world.member(workspace, 'member', actor);
      expect(await sees(actor)).toBe(200);
    }
    return answers;
  });

  it('is done once when 16 ask for it at once', async () => {
    const { userId } = await service.world.member(workspace);
    service.proxy.conflictsLikeDynamoDb = true;
    const answers = await Promise.all(Array.from({ length: 16 }, () => remove(userId)));
    expect(statusCounts(answers)).toEqual({ '200': 1, '404 MEMBER_NOT_FOUND': 15 });
  });
});
