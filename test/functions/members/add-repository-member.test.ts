import {
  addRepositoryMember,
  addWorkspaceMember,
  listRepositoryMembers,
  removeWorkspaceMember,
} from '../../../functions/members/contracts.ts';
import { permissionLevels } from '../../../shared/access.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';

const service = useService();

let workspace: Named;
let repository: Named;
let member: Actor;
beforeAll(async () => {
  workspace = await service.world.workspace();
  [repository, member] = await Promise.all([service.world.repository(workspace), service.world.member(workspace)]);
});

const admin = async (): Promise<string> => (await service.world.systemAdmin()).bearer;

const add = async (body: unknown, params: Partial<Record<'workspace' | 'repository', string>> = {}) =>
  service.client.attempt(addRepositoryMember, {
    params: { workspace: workspace.id, repository: repository.id, ...params },
    body,
    as: await admin(),
  });

const levels = async (of = repository) => {
  const { text } = await service.client.attempt(listRepositoryMembers, {
    params: { workspace: workspace.id, repository: of.id },
    as: await admin(),
  });
  const listed = JSON.parse(text) as { userId: string; repositoryPermissionLevel: string }[];
  return new Map(listed.map((each) => [each.userId, each.repositoryPermissionLevel]));
};

const unknownUser = '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11';

describe('POST /1/workspaces/{workspace}/repositories/{repository}/members', () => {
  itAnswers('201 with canView when no level is given', async () => {
    const { userId } = await service.world.member(workspace);
    const answer = await add({ userId });
    expect(answer.result).toEqual({
      workspaceId: workspace.id,
      repositoryId: repository.id,
      repositoryName: repository.name,
      userId,
      repositoryPermissionLevel: 'canView',
    });
    expect((await levels()).get(userId)).toBe('canView');
    return answer;
  });

  itAnswers('200 when the user had a level, which the call sets, up or down', async () => {
    const { userId } = await service.world.member(workspace);
    expect((await add({ userId, repositoryPermissionLevel: 'canDeploy' })).status).toBe(201);
    const answers = [];
    for (const repositoryPermissionLevel of [...permissionLevels, 'canView', 'canView']) {
      const answer = await add({ userId, repositoryPermissionLevel });
      expect(answer.result?.repositoryPermissionLevel).toBe(repositoryPermissionLevel);
      expect((await levels()).get(userId)).toBe(repositoryPermissionLevel);
      answers.push(answer);
    }
    // Without a level the default is set, not the old level kept.
    await add({ userId, repositoryPermissionLevel: 'canManage' });
    answers.push(await add({ userId }));
    expect((await levels()).get(userId)).toBe('canView');
    return answers;
  });

  itAnswers('201 on each repository of its own', async () => {
    const { userId } = await service.world.member(workspace);
    const other = await service.world.repository(workspace);
    const answers = [
      await add({ userId, repositoryPermissionLevel: 'canManage' }),
      await add({ userId }, { repository: other.id }),
    ];
    expect([(await levels()).get(userId), (await levels(other)).get(userId)]).toEqual(['canManage', 'canView']);
    return answers;
  });

  itAnswers('201 with workspace and repository by ID or name, and IDs in either case', async () => {
    const references = [
      { workspace: workspace.name, repository: repository.name },
      { workspace: workspace.id.toUpperCase(), repository: repository.id.toUpperCase() },
      { workspace: workspace.id, repository: repository.name },
    ];
    return Promise.all(
      references.map(async (params) => {
        const { userId } = await service.world.member(workspace);
        const answer = await add({ userId: userId.toUpperCase() }, params);
        expect(answer.result).toMatchObject({ workspaceId: workspace.id, repositoryId: repository.id, userId });
        return answer;
      }),
    );
  });

  itAnswers('201 for repositories whose names are words of a path', async () => {
    const names = ['local', 'remote', 'virtual', 'members', 'batch'];
    return Promise.all(
      names.map(async (name) => {
        const named = await service.world.repository(workspace, name);
        const answer = await add({ userId: member.userId }, { repository: name });
        expect(answer.result).toMatchObject({ repositoryId: named.id, repositoryName: name });
        return answer;
      }),
    );
  });

  itAnswers('404 USER_NOT_FOUND for an unknown user, and for what is no ID, which says what an ID is', async () => {
    const [unknown, ...others] = await Promise.all(
      [unknownUser, member.username, '', 'x', `${member.userId} `, '#'].map((userId) => add({ userId })),
    );
    expect(unknown?.problem?.detail).toBe('This user does not exist.');
    for (const { problem } of others) expect(problem?.detail).toMatch(/: a UUID, not a username\. /);
    return [...(unknown ? [unknown] : []), ...others];
  });

  itAnswers('400 REQUEST_INVALID for a user who is no member of the workspace', async () => {
    const [stranger, elsewhere] = await Promise.all([service.world.user(), service.world.workspace()]);
    const answers = [await add({ userId: stranger.userId })];
    await service.world.member(elsewhere, 'member', stranger);
    answers.push(await add({ userId: stranger.userId }));
    for (const { problem } of answers)
      expect(problem?.violations).toEqual([
        {
          pointer: '/userId',
          rule: 'member',
          message: 'userId must be a member of the workspace: add the user to the workspace first.',
        },
      ]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for an admin of the workspace', async () => {
    const { userId } = await service.world.member(workspace, 'admin');
    const answer = await add({ userId });
    expect(answer.problem?.errors).toEqual([
      'userId must not be an admin of the workspace: admins have every permission already.',
    ]);
    expect((await levels()).has(userId)).toBe(false);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for a user who was removed or promoted since', async () => {
    const [removed, promoted] = await Promise.all([service.world.member(workspace), service.world.member(workspace)]);
    const params = { workspace: workspace.id };
    await add({ userId: removed.userId });
    await service.client.succeed(removeWorkspaceMember, {
      params: { ...params, user: removed.userId },
      as: await admin(),
    });
    const body = { userId: promoted.userId, role: 'admin' } as const;
    await service.client.succeed(addWorkspaceMember, { params, body, as: await admin() });
    return [await add({ userId: removed.userId }), await add({ userId: promoted.userId })];
  });

  itAnswers('400 REQUEST_INVALID for each body that breaks the rules', async () => {
    const { userId } = member;
    const bodies = [
      {},
      { userId: null },
      { userId: 1 },
      { userId: 'x'.repeat(101) },
      { userId, repositoryPermissionLevel: 'canview' },
      { userId, repositoryPermissionLevel: '' },
      { userId, role: 'member' },
    ];
    const answers = await Promise.all(bodies.map((body) => add(body)));
    expect(answers[4]?.problem?.errors).toEqual([
      'repositoryPermissionLevel must be one of canView, canDeploy or canManage, or null.',
    ]);
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for an unknown repository and one of another workspace', async () => {
    const foreign = await service.world.repository(await service.world.workspace());
    const references = [foreign.id, foreign.name, uniqueName(), unknownUser, 'A', 'x'.repeat(31)];
    const answers = await Promise.all(references.map((each) => add({ userId: member.userId }, { repository: each })));
    const details = new Set(answers.map(({ problem }) => problem?.detail));
    expect(details.size).toBe(1);
    return answers;
  });
});
