import { randomUUID } from 'node:crypto';
import {
  deleteRepository,
  getRepository,
  listRepositories,
  updateRepository,
} from '../../../functions/repositories/contracts.ts';
import { deleteWorkspaceByReference, getWorkspace } from '../../../functions/workspaces/contracts.ts';
import { statusCounts } from '../../harness/concurrency.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { rowsOf } from '../../harness/pages.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, newPassword } from '../../harness/world.ts';

const service = useService();
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const remove = async (repository: string, { id } = workspace) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.call(deleteRepository, { params: { workspace: id, repository }, as: bearer });
};

const setChildren = async (virtual: Named, children: readonly Named[]) => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.id, repository: virtual.id };
  const body = { childRepositoryIds: children.map(({ id }) => id) };
  return service.client.call(updateRepository, { params, body, as: bearer });
};

const countOf = async ({ id }: Named) => {
  const { bearer } = await service.world.systemAdmin();
  return (await service.client.succeed(getWorkspace, { params: { workspace: id }, as: bearer })).repositoryCount;
};

describe('DELETE /1/workspaces/{workspace}/repositories/{repository}', () => {
  itAnswers('200 for each type, by ID, ID in capitals and name, and it is gone', async () => {
    const { bearer } = await service.world.systemAdmin();
    const local = await service.world.repository(workspace);
    const remote = await createRemote(service, workspace, { remoteRepositoryPassword: newPassword() });
    const virtual = await createVirtual(service, workspace, [remote, local], { uploadLocalRepositoryId: local.id });
    const repositories = [virtual, remote, local];
    const references = [virtual.name, remote.id.toUpperCase(), local.id];
    const answers = [];
    for (const [index, reference] of references.entries()) {
      const answer = await remove(reference);
      expect(answer.result).toEqual({ repositoryId: repositories[index]?.id, status: 'deleted' });
      answers.push(answer);
      for (const { id, name } of repositories.slice(0, index + 1))
        for (const repository of [id, name]) {
          const params = { workspace: workspace.id, repository };
          expect((await service.client.call(getRepository, { params, as: bearer })).code).toBe('REPOSITORY_NOT_FOUND');
        }
    }
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for what is unknown, was deleted or belongs to another workspace', async () => {
    const deleted = await service.world.repository(workspace);
    const elsewhere = await service.world.repository(await service.world.workspace());
    await remove(deleted.id);
    const references = [deleted, elsewhere].flatMap(({ id, name }) => [id, name]);
    return Promise.all([...references, randomUUID(), 'none', 'A'].map((reference) => remove(reference)));
  });

  itAnswers('409 REPOSITORY_IN_USE with the names of all virtual repositories that list it, in order', async () => {
    const [used, other] = [await service.world.repository(workspace), await service.world.repository(workspace)];
    const names = ['v-b', 'v-c', 'v-a'];
    for (const name of names) await createVirtual(service, workspace, [other, used], { name });
    await createVirtual(service, workspace, [other], { name: 'v-0' });
    const answer = await remove(used.name);
    expect(answer.problem?.detail).toContain(': v-a, v-b, v-c.');
    expect(await countOf(workspace)).toBeGreaterThan(5);
    return answer;
  });

  itAnswers('200 once the last virtual repository has given it up, or is deleted itself', async () => {
    const [used, other] = [await service.world.repository(workspace), await service.world.repository(workspace)];
    const [patched, deleted] = [
      await createVirtual(service, workspace, [used, other]),
      await createVirtual(service, workspace, [used]),
    ];
    expect((await remove(used.id)).code).toBe('REPOSITORY_IN_USE');
    expect((await setChildren(patched, [other])).status).toBe(200);
    expect((await remove(used.id)).problem?.detail).toContain(`: ${deleted.name}.`);
    const answers = [await remove(deleted.id), await remove(used.id)];
    expect((await remove(other.id)).code).toBe('REPOSITORY_IN_USE');
    return [...answers, await remove(patched.id), await remove(other.id)];
  });

  itAnswers('409 REPOSITORY_IN_USE for a virtual repository inside another', async () => {
    const inner = await createVirtual(service, workspace, [await service.world.repository(workspace)]);
    const outer = await createVirtual(service, workspace, [inner]);
    const answer = await remove(inner.id);
    expect(answer.problem?.detail).toContain(`: ${outer.name}.`);
    expect((await remove(outer.id)).status).toBe(200);
    expect((await remove(inner.id)).status).toBe(200);
    return answer;
  });

  it('frees 90 children with one delete, and the workspace can be deleted at once', async () => {
    const full = await service.world.workspace();
    const children = await service.world.repositories(full, 90);
    const virtual = await createVirtual(service, full, children);
    expect(await countOf(full)).toBe(91);
    expect((await remove(virtual.id, full)).status).toBe(200);
    const answers = await Promise.all(children.map(({ id }) => remove(id, full)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { bearer } = await service.world.systemAdmin();
    const input = { params: { workspace: full.id }, as: bearer };
    expect((await service.client.call(listRepositories, input)).text).toBe('[]');
    expect((await service.client.call(deleteWorkspaceByReference, input)).status).toBe(200);
  });

  it('frees the name at once, and the new repository of the name has another ID and no permissions', async () => {
    const member = await service.world.member(workspace);
    const name = service.world.name();
    const ids = new Set<string>();
    for (let round = 0; round < 4; round += 1) {
      const repository = await service.world.repository(workspace, name);
      for (const reference of [repository.id, name]) {
        const params = { workspace: workspace.id, repository: reference };
        expect((await service.client.call(getRepository, { params, as: member.bearer })).status).toBe(404);
      }
      await service.world.grant(workspace, repository, member, 'canManage');
      const params = { workspace: workspace.id };
      const listed = await service.client.call(listRepositories, { params, as: member.bearer });
      expect(rowsOf<Named>(listed).map(({ id }) => id)).toEqual([repository.id]);
      ids.add(repository.id);
      await remove(repository.id);
    }
    expect(ids.size).toBe(4);
  });

  it('is done and counted once when 16 ask for it at once', async () => {
    const counted = await service.world.workspace();
    const repository = await service.world.repository(counted);
    service.proxy.conflictsLikeDynamoDb = true;
    const answers = await Promise.all(Array.from({ length: 16 }, () => remove(repository.id, counted)));
    expect(statusCounts(answers)).toEqual({ '200': 1, '404 REPOSITORY_NOT_FOUND': 15 });
    expect(await countOf(counted)).toBe(0);
  });

  it('succeeds beside a patch of the same repository, and leaves no note on a child', async () => {
    for (let round = 0; round < 12; round += 1) {
      service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
      const [one, two] = [await service.world.repository(workspace), await service.world.repository(workspace)];
      const virtual = await createVirtual(service, workspace, [one]);
      const [deleted, patched] = await Promise.all([remove(virtual.id), setChildren(virtual, [two])]);
      expect(deleted.status).toBe(200);
      expect([200, 404]).toContain(patched.status);
      expect((await Promise.all([remove(one.id), remove(two.id)])).map(({ status }) => status)).toEqual([200, 200]);
    }
  });
});
