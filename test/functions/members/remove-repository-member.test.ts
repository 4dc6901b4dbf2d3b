import { randomUUID } from 'node:crypto';
import { listRepositoryMembers, removeRepositoryMember } from '../../../functions/members/contracts.ts';
import { getRepository } from '../../../functions/repositories/contracts.ts';
import { statusCounts } from '../../harness/concurrency.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { rowsOf } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let repository: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
});

const remove = async (user: string, reference = repository.id) => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.id, repository: reference, user };
  return service.client.call(removeRepositoryMember, { params, as: bearer });
};

const sees = async ({ bearer }: Actor, { id } = repository) =>
  (await service.client.call(getRepository, { params: { workspace: workspace.id, repository: id }, as: bearer }))
    .status;

const granted = async () => {
  const actor = await service.world.member(workspace);
  await service.world.grant(workspace, repository, actor, 'canManage');
  return actor;
};

describe('DELETE /1/workspaces/{workspace}/repositories/{repository}/members/{user}', () => {
  itAnswers('200 by ID, by ID in capitals and by username, of a repository by ID or name', async () => {
    const actors = [await granted(), await granted(), await granted()] as const;
    const [byId, byCapitals, byName] = actors;
    expect(await Promise.all(actors.map((actor) => sees(actor)))).toEqual([200, 200, 200]);
    const answers = [
      await remove(byId.userId),
      await remove(byCapitals.userId.toUpperCase(), repository.id.toUpperCase()),
      await remove(byName.username, repository.name),
    ];
    expect(answers.map(({ result }) => result)).toEqual(
      actors.map(({ userId }) => ({ repositoryId: repository.id, userId, status: 'deleted' })),
    );
    expect(await Promise.all(actors.map((actor) => sees(actor)))).toEqual([404, 404, 404]);
    return answers;
  });

  it('leaves the other permissions of the user, and those of others, as they are', async () => {
    const [actor, neighbour] = [await granted(), await granted()];
    const other = await service.world.repository(workspace);
    await service.world.grant(workspace, other, actor, 'canDeploy');
    await remove(actor.userId);
    expect([await sees(actor), await sees(actor, other), await sees(neighbour)]).toEqual([404, 200, 200]);
    const { bearer } = await service.world.systemAdmin();
    const params = { workspace: workspace.id, repository: other.id };
    const holders = await service.client.call(listRepositoryMembers, { params, as: bearer });
    const { userId, username } = actor;
    expect(rowsOf(holders)).toEqual([{ userId, username, repositoryPermissionLevel: 'canDeploy' }]);
  });

  itAnswers('404 MEMBER_NOT_FOUND alike for every user without a permission and for none at all', async () => {
    const [removed, admin] = [await granted(), await service.world.member(workspace, 'admin')];
    const [member, stranger] = [await service.world.member(workspace), await service.world.user()];
    await remove(removed.userId);
    service.proxy.forget();
    const references = [removed, admin, member, stranger].flatMap(({ userId, username }) => [userId, username]);
    const answers = [];
    for (const reference of [...references, randomUUID(), service.world.name(), 'me', '#'])
      answers.push(await remove(reference));
    expect([...new Set(answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', '')))]).toHaveLength(
      1,
    );
    expect(service.proxy.writes).toEqual([]);
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for an unknown repository, whoever the user is', async () => {
    const { userId } = await granted();
    return [
      await remove(userId, randomUUID()),
      await remove(userId, service.world.name()),
      await remove('nobody', 'none'),
    ];
  });

  it('is done once when 16 ask for it at once', async () => {
    const { userId } = await granted();
    service.proxy.conflictsLikeDynamoDb = true;
    const answers = await Promise.all(Array.from({ length: 16 }, () => remove(userId)));
    expect(statusCounts(answers)).toEqual({ '200': 1, '404 MEMBER_NOT_FOUND': 15 });
  });
});
