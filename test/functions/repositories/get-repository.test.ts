import { randomUUID } from 'node:crypto';
import { deleteRepository, getRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createLocal, createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Actor, type Named, newPassword } from '../../harness/world.ts';

const service = useService();
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const get = async (repository: string, actor?: Actor) => {
  const { bearer } = actor ?? (await service.world.systemAdmin());
  return service.client.call(getRepository, { params: { workspace: workspace.id, repository }, as: bearer });
};

describe('GET /1/workspaces/{workspace}/repositories/{repository}', () => {
  itAnswers('200 with the record that the create answered, for each type, by ID, ID in capitals and name', async () => {
    const local = await createLocal(service, workspace);
    const remote = await createRemote(service, workspace, {
      remoteRepositoryUsername: 'ci',
      remoteRepositoryPassword: newPassword(),
      fileCacheTimeTillRevalidation: 0,
      metadataCacheTimeTillRevalidation: Number.MAX_SAFE_INTEGER,
    });
    const virtual = await createVirtual(service, workspace, [remote, local], { uploadLocalRepositoryId: local.id });
    expect(remote).toMatchObject({ hasRemoteRepositoryPassword: true, metadataCacheTimeTillRevalidation: 2 ** 53 - 1 });
    expect(virtual).toMatchObject({ uploadTargetLocalRepository: { id: local.id, name: local.name } });
    const answers = [];
    for (const created of [local, remote, virtual])
      for (const reference of [created.id, created.id.toUpperCase(), created.name]) {
        const answer = await get(reference);
        expect(answer.result).toEqual(created);
        answers.push(answer);
      }
    return answers;
  });

  itAnswers('200 for a member with a permission of any level', async () => {
    const [member, repository] = [await service.world.member(workspace), await service.world.repository(workspace)];
    const answers = [];
    for (const level of ['canView', 'canDeploy', 'canManage'] as const) {
      await service.world.grant(workspace, repository, member, level);
      answers.push(await get(repository.id, member), await get(repository.name, member));
    }
    return answers;
  });

  itAnswers(
    '404 REPOSITORY_NOT_FOUND alike for what is there without a permission and for what is not there',
    async () => {
      const member = await service.world.member(workspace);
      const repository = await service.world.repository(workspace);
      const elsewhere = await service.world.repository(await service.world.workspace());
      const references = [repository, elsewhere, { id: randomUUID(), name: service.world.name() }];
      const answers = [];
      for (const { id, name } of references) answers.push(await get(id, member), await get(name, member));
      expect([...new Set(answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', '')))]).toHaveLength(
        1,
      );
      return answers;
    },
  );

  itAnswers('404 REPOSITORY_NOT_FOUND for an admin, for what is unknown or is no reference at all', async () => {
    const references = [randomUUID(), service.world.name(), 'NO', 'a_b', 'é', ' ', '%', '__proto__', 'x'.repeat(200)];
    return Promise.all(references.map((reference) => get(reference)));
  });

  itAnswers('404 WORKSPACE_NOT_FOUND for an ID of no workspace, whatever the repository is called', async () => {
    const { bearer } = await service.world.systemAdmin();
    const references = [randomUUID(), service.world.name(), (await service.world.repository(workspace)).id];
    return Promise.all(
      references.map((repository) =>
        service.client.call(getRepository, { params: { workspace: randomUUID(), repository }, as: bearer }),
      ),
    );
  });

  it('follows a name to the repository that has it now', async () => {
    const { bearer } = await service.world.systemAdmin();
    const name = service.world.name();
    const ids = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const { id } = await service.world.repository(workspace, name);
      expect((await get(name)).result?.id).toBe(id);
      ids.add(id);
      const params = { workspace: workspace.id, repository: name };
      await service.client.succeed(deleteRepository, { params, as: bearer });
      expect((await get(name)).code).toBe('REPOSITORY_NOT_FOUND');
      expect((await get(id)).code).toBe('REPOSITORY_NOT_FOUND');
    }
    expect(ids.size).toBe(5);
  });
});
