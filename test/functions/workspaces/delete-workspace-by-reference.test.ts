import { randomUUID } from 'node:crypto';
import { listWorkspaceMembers } from '../../../functions/members/contracts.ts';
import { deleteRepository, getRepository } from '../../../functions/repositories/contracts.ts';
import { createWorkspace, deleteWorkspaceByReference, getWorkspace } from '../../../functions/workspaces/contracts.ts';
import { statusCounts } from '../../harness/concurrency.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();

const remove = async (reference: string, as?: string) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.call(deleteWorkspaceByReference, { params: { workspace: reference }, as: as ?? bearer });
};

const removeRepository = async (workspace: Named, repository: Named) => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.id, repository: repository.id };
  await service.client.succeed(deleteRepository, { params, as: bearer });
};

describe('DELETE /1/workspaces/{workspace}', () => {
  itAnswers('200 by ID, by ID in capitals and by name, with both names of both', async () => {
    const workspaces = [
      await service.world.workspace(),
      await service.world.workspace(),
      await service.world.workspace(),
    ];
    const [byId, byCapitals, byName] = workspaces as [Named, Named, Named];
    const answers = [await remove(byId.id), await remove(byCapitals.id.toUpperCase()), await remove(byName.name)];
    expect(answers.map(({ result }) => result)).toEqual(
      workspaces.map(({ id, name }) => ({ id, name, workspaceId: id, workspaceName: name })),
    );
    return answers;
  });

  itAnswers('201 for another workspace of the name at once, and the old one stays gone', async () => {
    const { bearer } = await service.world.systemAdmin();
    const workspace = await service.world.workspace();
    await remove(workspace.name);
    const answer = await service.client.call(createWorkspace, { body: { name: workspace.name }, as: bearer });
    expect(answer.result?.id).not.toBe(workspace.id);
    expect((await remove(workspace.id)).code).toBe('WORKSPACE_NOT_FOUND');
    expect((await remove(workspace.name)).result?.id).toBe(answer.result?.id);
    return answer;
  });

  itAnswers('400 WORKSPACE_NOT_EMPTY for each repository that is left, and 200 once the last one is gone', async () => {
    const workspace = await service.world.workspace();
    const [local, remote] = [
      await service.world.repository(workspace),
      await service.world.remoteRepository(workspace),
    ];
    const virtual = await createVirtual(service, workspace, [local, remote]);
    const refused = [];
    for (const repository of [virtual, remote, local]) {
      refused.push(await remove(workspace.id), await remove(workspace.name));
      await removeRepository(workspace, repository);
    }
    expect((await remove(workspace.name)).status).toBe(200);
    return refused;
  });

  itAnswers('404 WORKSPACE_NOT_FOUND for what is unknown, was deleted or is no reference at all', async () => {
    const deleted = await service.world.workspace();
    await remove(deleted.id);
    const references = [
      randomUUID(),
      service.world.name(),
      deleted.id,
      deleted.name,
      'NO',
      'a b',
      '#',
      'x'.repeat(200),
    ];
    return Promise.all(references.map((reference) => remove(reference)));
  });

  itAnswers('401 SYSTEM_ADMIN_REQUIRED for every other caller, whether or not there is such a workspace', async () => {
    const workspace = await service.world.workspace();
    const callers = [
      await service.world.member(workspace, 'admin'),
      await service.world.member(workspace),
      await service.world.user(),
    ];
    const references = [workspace.id, workspace.name, randomUUID(), service.world.name()];
    service.proxy.forget();
    const answers = await Promise.all(
      callers.flatMap(({ account }) => references.map((reference) => remove(reference, account))),
    );
    expect(service.proxy.writes).toEqual([]);
    expect([...new Set(answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', '')))]).toHaveLength(
      1,
    );
    return answers;
  });

  it('ends every membership and every permission, also for a new workspace of the name', async () => {
    const workspace = await service.world.workspace();
    const [admin, viewer] = [await service.world.member(workspace, 'admin'), await service.world.member(workspace)];
    const repository = await service.world.repository(workspace, 'kept-name');
    await service.world.grant(workspace, repository, viewer, 'canManage');
    await removeRepository(workspace, repository);
    await remove(workspace.id);
    const seenBy = async (reference: string) =>
      Promise.all(
        [admin, viewer].flatMap(({ bearer }) => [
          service.client.call(getWorkspace, { params: { workspace: reference }, as: bearer }),
          service.client.call(listWorkspaceMembers, { params: { workspace: reference }, as: bearer }),
          service.client.call(getRepository, { params: { workspace: reference, repository: 'kept-name' }, as: bearer }),
        ]),
      );
    const codes = async () =>
      (await Promise.all([workspace.id, workspace.name].map(seenBy))).flat().map(({ code }) => code);
    expect(new Set(await codes())).toEqual(new Set(['WORKSPACE_NOT_FOUND']));

    const again = await service.world.workspace(workspace.name);
    await service.world.repository(again, 'kept-name');
    expect(new Set(await codes())).toEqual(new Set(['WORKSPACE_NOT_FOUND']));
    await service.world.member(again, 'member', viewer);
    const params = { workspace: again.id, repository: 'kept-name' };
    expect((await service.client.call(getRepository, { params, as: viewer.bearer })).code).toBe('REPOSITORY_NOT_FOUND');
  });

  it('is done once when 16 ask for it at once', async () => {
    const workspace = await service.world.workspace();
    service.proxy.conflictsLikeDynamoDb = true;
    const answers = await Promise.all(Array.from({ length: 16 }, () => remove(workspace.id)));
    expect(statusCounts(answers)).toEqual({ '200': 1, '404 WORKSPACE_NOT_FOUND': 15 });
  });
});
