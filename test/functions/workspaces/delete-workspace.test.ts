import { addMemberToRepositories, listWorkspaceMembers } from '../../../functions/members/contracts.ts';
import { deleteRepository, getRepository, listRepositories } from '../../../functions/repositories/contracts.ts';
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
} from '../../../functions/workspaces/contracts.ts';
import { statusCounts } from '../../harness/concurrency.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();

const admin = async (): Promise<string> => (await service.world.systemAdmin()).bearer;

const remove = async (body: unknown, as?: string) =>
  service.client.attempt(deleteWorkspace, { body, as: as ?? (await admin()) });

const exists = async ({ id }: Named): Promise<boolean> =>
  (await service.client.attempt(getWorkspace, { params: { workspace: id }, as: await admin() })).status === 200;

const unknownId = '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11';

describe('DELETE /workspace', () => {
  itAnswers('200 by ID in either case, by name, and by both agreeing', async () => {
    const bodies = [
      ({ id }: Named) => ({ workspaceId: id }),
      ({ id }: Named) => ({ workspaceId: id.toUpperCase() }),
      ({ name }: Named) => ({ workspaceName: name }),
      ({ id, name }: Named) => ({ workspaceId: id, workspaceName: name }),
    ];
    const answers = [];
    for (const bodyOf of bodies) {
      const workspace = await service.world.workspace();
      const answer = await remove(bodyOf(workspace));
      const { id, name } = workspace;
      expect(answer.result).toEqual({ id, name, workspaceId: id, workspaceName: name });
      expect(await exists(workspace)).toBe(false);
      answers.push(answer);
    }
    return answers;
  });

  itAnswers('400 REQUEST_INVALID by both disagreeing, and nothing is deleted', async () => {
    const [one, other] = await Promise.all([service.world.workspace(), service.world.workspace()]);
    const bodies = [
      { workspaceId: one.id, workspaceName: other.name },
      { workspaceId: one.id, workspaceName: uniqueName() },
      { workspaceId: unknownId, workspaceName: other.name },
      { workspaceId: one.id, workspaceName: '' },
      { workspaceId: '', workspaceName: one.name },
    ];
    service.proxy.forget();
    const answers = [];
    for (const body of bodies) {
      const answer = await remove(body);
      expect(answer.problem?.errors).toEqual([
        'workspaceId and workspaceName must name the same workspace. Nothing was deleted.',
      ]);
      answers.push(answer);
    }
    expect(service.proxy.writes).toEqual([]);
    expect([await exists(one), await exists(other)]).toEqual([true, true]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID by neither', async () => {
    const answer = await remove({});
    expect(answer.problem?.errors).toEqual(['Send workspaceId, workspaceName, or both.']);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for fields of another type or name', async () =>
    Promise.all(
      [{ workspaceId: 1 }, { workspaceName: null }, { workspaceId: null, workspaceName: 'x' }, { id: unknownId }].map(
        (body) => remove(body),
      ),
    ),
  );

  itAnswers('400 WORKSPACE_NOT_EMPTY with a repository of any type inside, until the last one is gone', async () => {
    const workspace = await service.world.workspace();
    const repositories = [await service.world.repository(workspace), await service.world.remoteRepository(workspace)];
    const answers = [];
    for (const repository of repositories) {
      answers.push(await remove({ workspaceId: workspace.id }));
      const params = { workspace: workspace.id, repository: repository.id };
      await service.client.succeed(deleteRepository, { params, as: await admin() });
    }
    expect((await remove({ workspaceId: workspace.id })).status).toBe(200);
    return answers;
  });

  itAnswers('404 WORKSPACE_NOT_FOUND for an unknown one, also when it was deleted before', async () => {
    const workspace = await service.world.workspace();
    await remove({ workspaceName: workspace.name });
    const bodies = [
      { workspaceId: workspace.id },
      { workspaceName: workspace.name },
      { workspaceId: workspace.id, workspaceName: workspace.name },
      { workspaceId: unknownId },
      { workspaceName: uniqueName() },
      { workspaceId: 'no id' },
      { workspaceName: 'NO NAME' },
      { workspaceId: workspace.name },
      { workspaceName: '' },
    ];
    return Promise.all(bodies.map((body) => remove(body)));
  });

  itAnswers('404 WORKSPACE_NOT_FOUND when a name is given as the ID, or the ID as a name', async () => {
    const workspace = await service.world.workspace();
    const answers = [await remove({ workspaceId: workspace.name }), await remove({ workspaceName: workspace.id })];
    expect(await exists(workspace)).toBe(true);
    return answers;
  });

  itAnswers('401 SYSTEM_ADMIN_REQUIRED for an ordinary user and a workspace admin, whatever the body', async () => {
    const workspace = await service.world.workspace();
    const callers = await Promise.all([
      service.world.user(),
      service.world.member(workspace),
      service.world.member(workspace, 'admin'),
    ]);
    const bodies = [
      { workspaceId: workspace.id },
      { workspaceName: workspace.name },
      { workspaceId: unknownId },
      { workspaceName: uniqueName() },
      { workspaceId: workspace.id, workspaceName: uniqueName() },
      {},
      { workspaceId: 1 },
    ];
    const answers = await Promise.all(callers.flatMap(({ bearer }) => bodies.map((body) => remove(body, bearer))));
    expect([...new Set(answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', '')))]).toHaveLength(
      1,
    );
    expect(await exists(workspace)).toBe(true);
    return answers;
  });

  it('frees the name; the new workspace has nothing of the old one', async () => {
    const name = uniqueName();
    const old = await service.world.workspace(name);
    const [member, workspaceAdmin] = await Promise.all([service.world.member(old), service.world.member(old, 'admin')]);
    const repository = await service.world.repository(old, 'npm-local');
    const body = {
      userId: member.userId,
      repositories: [{ repositoryReference: 'npm-local', repositoryPermissionLevel: 'canManage' as const }],
    };
    // By name: the processes learn what the names stand for now.
    await service.client.succeed(addMemberToRepositories, {
      params: { workspace: name },
      body,
      as: workspaceAdmin.bearer,
    });
    const inOld = { workspace: name, repository: 'npm-local' };
    await service.client.succeed(getRepository, { params: inOld, as: member.bearer });
    await service.client.succeed(deleteRepository, { params: inOld, as: await admin() });
    expect((await remove({ workspaceName: name })).status).toBe(200);

    const created = await service.client.succeed(createWorkspace, { body: { name }, as: await admin() });
    expect(created.id).not.toBe(old.id);
    expect(created.repositoryCount).toBe(0);
    const params = { workspace: name };
    const read = async (as: string) => ({
      members: (await service.client.attempt(listWorkspaceMembers, { params, as })).text,
      repositories: (await service.client.attempt(listRepositories, { params, as })).text,
      record: (await service.client.attempt(getWorkspace, { params, as })).result,
    });
    expect(await read(await admin())).toEqual({ members: '[]', repositories: '[]', record: created });
    await service.world.repository(created, 'npm-local');
    for (const { bearer } of [member, workspaceAdmin]) {
      for (const each of [name, created.id, old.id]) {
        const answer = await service.client.attempt(getWorkspace, { params: { workspace: each }, as: bearer });
        expect(answer.code).toBe('WORKSPACE_NOT_FOUND');
      }
      expect((await service.client.attempt(listWorkspaces, { as: bearer })).text).toBe('[]');
    }
    // A member again, without the old grant.
    await service.world.member(created, 'member', member);
    for (const each of ['npm-local', repository.id]) {
      const inNew = { workspace: name, repository: each };
      const answer = await service.client.attempt(getRepository, { params: inNew, as: member.bearer });
      expect(answer.code).toBe('REPOSITORY_NOT_FOUND');
    }
  });

  it('answers one of many deletions at once with 200, the others with 404', async () => {
    const { id } = await service.world.workspace();
    const answers = await Promise.all(Array.from({ length: 12 }, () => remove({ workspaceId: id })));
    expect(statusCounts(answers)).toEqual({ 200: 1, '404 WORKSPACE_NOT_FOUND': 11 });
  });
});
