import { randomUUID } from 'node:crypto';
import { getRepositoryMember, removeRepositoryMember } from '../../../functions/members/contracts.ts';
import { permissionLevels } from '../../../shared/access.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let repository: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
});

const get = async (user: string, as?: string) => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.name, repository: repository.name, user };
  return service.client.call(getRepositoryMember, { params, as: as ?? bearer });
};

const holder = async (level: (typeof permissionLevels)[number]) => {
  const member = await service.world.member(workspace);
  await service.world.grant(workspace, repository, member, level);
  return member;
};

describe('GET /1/workspaces/{workspace}/repositories/{repository}/members/{user}', () => {
  itAnswers('200 with the level, by ID, by ID in capitals and by username', async () => {
    const answers = [];
    for (const level of permissionLevels) {
      const { userId, username } = await holder(level);
      for (const user of [userId, userId.toUpperCase(), username]) {
        const answer = await get(user);
        expect(answer.result).toEqual({
          workspaceId: workspace.id,
          repositoryId: repository.id,
          repositoryName: repository.name,
          userId,
          username,
          repositoryPermissionLevel: level,
        });
        answers.push(answer);
      }
    }
    return answers;
  });

  itAnswers('200 for an admin of the workspace, and for a member who can manage the repository', async () => {
    const [admin, manager] = [await service.world.member(workspace, 'admin'), await holder('canManage')];
    const { username } = await holder('canView');
    return [await get(username, admin.bearer), await get(username, manager.bearer)];
  });

  itAnswers('403 FORBIDDEN for a member with a lower level, also about oneself', async () => {
    const [viewer, deployer] = [await holder('canView'), await holder('canDeploy')];
    return [await get(deployer.userId, viewer.bearer), await get(deployer.username, deployer.bearer)];
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a member without a level', async () =>
    get((await holder('canView')).userId, (await service.world.member(workspace)).bearer),
  );

  itAnswers('404 MEMBER_NOT_FOUND alike for whoever holds no level on this very repository', async () => {
    const [member, admin, stranger] = [
      await service.world.member(workspace),
      await service.world.member(workspace, 'admin'),
      await service.world.user(),
    ];
    await service.world.grant(workspace, await service.world.repository(workspace), member, 'canManage');
    const references = [member, admin, stranger].flatMap(({ userId, username }) => [userId, username]);
    const answers = await Promise.all(
      [...references, randomUUID(), service.world.name(), 'me', '#'].map((id) => get(id)),
    );
    expect([...new Set(answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', '')))]).toHaveLength(
      1,
    );
    return answers;
  });

  itAnswers('404 MEMBER_NOT_FOUND right after the level was taken away', async () => {
    const { userId, username } = await holder('canDeploy');
    expect((await get(username)).status).toBe(200);
    const { bearer: as } = await service.world.systemAdmin();
    const params = { workspace: workspace.id, repository: repository.id, user: userId };
    await service.client.succeed(removeRepositoryMember, { params, as });
    return [await get(userId), await get(username)];
  });

  it('asks the table once, for all that it needs', async () => {
    const { userId, username } = await holder('canView');
    for (const user of [userId, username]) {
      await get(user);
      service.proxy.forget();
      await get(user);
      expect(service.proxy.callsOf('members/get-repository-member').map(({ operation }) => operation)).toEqual([
        'BatchGetItem',
      ]);
    }
  });
});
