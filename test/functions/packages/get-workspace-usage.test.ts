import { getWorkspaceUsage } from '../../../functions/packages/contracts.ts';
import { deleteRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const world = usePackageWorld(service);

const get = (as = world.admin.bearer) =>
  service.client.attempt(getWorkspaceUsage, { params: { workspace: world.workspace.id }, as });

describe('GET …/workspaces/{workspace}/usage', () => {
  itAnswers('200 for a member, with what all repositories hold and none that is deleted', async () => {
    const other = await service.world.repository(world.workspace, undefined, 'universal');
    await world.publish('one/1.0.0/a', '123');
    await world.publish('two/1.0.0/a', '1', other);
    expect((await get()).result).toMatchObject({ bytes: 4, files: 2, packages: 2 });
    const params = { workspace: world.workspace.id, repository: other.id };
    await service.client.succeed(deleteRepository, { params, as: world.admin.bearer });
    const answer = await get((await service.world.member(world.workspace)).bearer);
    expect(answer.result).toMatchObject({ bytes: 3, files: 1, packages: 1 });
    return answer;
  });

  itAnswers('404 WORKSPACE_NOT_FOUND for who is no member', async () => get((await service.world.user()).bearer));
});
