import { getRepositoryUsage } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const world = usePackageWorld(service);

const get = (repository: string, as = world.admin.bearer) =>
  service.client.attempt(getRepositoryUsage, { params: world.params({ repository }), as });

describe('GET …/repositories/{repository}/usage', () => {
  itAnswers('200 with the bytes, files and packages, of a virtual repository those that it combines', async () => {
    const other = await service.world.repository(world.workspace, undefined, 'universal');
    await world.publish('one/1.0.0/a', '123');
    await world.publish('one/1.0.0/b', '12');
    await world.publish('two/1.0.0/a', '1', other);
    const virtual = await createVirtual(service, world.workspace, [world.repository, other], {
      packageType: 'universal',
    });
    const answers = [await get(world.repository.id), await get(virtual.id)];
    expect(answers.map(({ result }) => result)).toMatchObject([
      { bytes: 5, files: 2, packages: 1 },
      { bytes: 6, files: 3, packages: 2 },
    ]);
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a member without a permission', async () =>
    get(world.repository.id, (await service.world.member(world.workspace)).bearer),
  );
});
