import { deleteRepository } from '../../../functions/repositories/contracts.ts';
import { createWorkspace, getWorkspace } from '../../../functions/workspaces/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();

const get = async (workspace: string, as?: string) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.attempt(getWorkspace, { params: { workspace }, as: as ?? bearer });
};

describe('GET /1/workspaces/{workspace}', () => {
  itAnswers('200 with the record that its creation answered, by ID in either case and by name', async () => {
    const { bearer } = await service.world.systemAdmin();
    const body = { name: uniqueName(), comments: 'Builds' };
    const created = await service.client.succeed(createWorkspace, { body, as: bearer });
    const answers = await Promise.all([created.id, created.id.toUpperCase(), created.name].map((each) => get(each)));
    for (const { result } of answers) expect(result).toEqual(created);
    return answers;
  });

  itAnswers('200 with the number of its repositories, right after each change', async () => {
    const { bearer } = await service.world.systemAdmin();
    const workspace = await service.world.workspace();
    const made = await service.world.repositories(workspace, 20);
    await service.world.remoteRepository(workspace);
    expect((await get(workspace.id)).result?.repositoryCount).toBe(21);
    const params = { workspace: workspace.id, repository: made[0]?.id ?? '' };
    await service.client.succeed(deleteRepository, { params, as: bearer });
    const answer = await get(workspace.name);
    expect(answer.result?.repositoryCount).toBe(20);
    return answer;
  });

  itAnswers('200 for every member', async () => {
    const workspace = await service.world.workspace();
    const actors = await Promise.all([service.world.member(workspace), service.world.member(workspace, 'admin')]);
    return Promise.all(actors.map(({ bearer }) => get(workspace.name, bearer)));
  });

  itAnswers('404 WORKSPACE_NOT_FOUND alike for who is no member and for what there is not', async () => {
    const workspace = await service.world.workspace();
    const stranger = await service.world.user();
    const references = [
      workspace.id,
      workspace.name,
      uniqueName(),
      '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11',
      'A',
      'é',
      '#',
    ];
    const answers = await Promise.all(references.map((each) => get(each, stranger.bearer)));
    const texts = answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', ''));
    expect([...new Set(texts)]).toHaveLength(1);
    return answers;
  });
});
