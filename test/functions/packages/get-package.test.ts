import { updateDistTag } from '../../../functions/npm/contracts.ts';
import { getPackage } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useNpmRepository } from '../../harness/npm.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);
const npm = useNpmRepository(service);

const get = (name: string, repository = world.repository) =>
  service.client.attempt(getPackage, {
    params: world.params({ repository: repository.id, package: name }),
    as: world.admin.bearer,
  });

describe('GET …/packages/{package}', () => {
  itAnswers('200 with the package, slashes in its name encoded', async () => {
    await world.publish('tools/formatter/1.0.0/file', '1234');
    const answer = await get('tools/formatter');
    expect(answer.result).toMatchObject({
      name: 'tools/formatter',
      packageType: 'universal',
      latestVersion: '1.0.0',
      versionCount: 1,
      sizeInBytes: 4,
      tags: [],
    });
    return answer;
  });

  itAnswers('200 for names that keys must escape', async () => {
    await world.publish('a%23b%25c/1.0.0/file');
    const answer = await get('a#b%c');
    expect(answer.result).toMatchObject({ name: 'a#b%c' });
    return answer;
  });

  itAnswers('200 through a virtual repository', async () => {
    await world.publish('shared/1.0.0/file');
    const virtual = await createVirtual(service, world.workspace, [world.repository], { packageType: 'universal' });
    return get('shared', virtual);
  });

  itAnswers('200 with the tags in the order of their names, also through a virtual repository', async () => {
    const { setting, publish, send } = npm;
    const { workspace, repository: first } = setting;
    const second = await service.world.repository(workspace);
    const name = await publish();
    await publish({ name }, second);
    const tags = Array.from({ length: 16 }, (_, at) => `tag-${String.fromCodePoint(97 + at)}`);
    for (const [at, tag] of tags.entries())
      await send(updateDistTag, `-/package/${name}/dist-tags/${tag}`, {
        body: '"1.0.0"',
        repository: at % 2 === 0 ? first : second,
      });
    const virtual = await createVirtual(service, workspace, [first, second]);
    const tagsIn = async ({ id }: Pick<Named, 'id'>) => {
      const params = { workspace: workspace.id, repository: id, package: name };
      const answer = await service.client.attempt(getPackage, { params, as: world.admin.bearer });
      return { answer, tags: answer.result?.tags.map(({ tag }) => tag) };
    };
    const [local, all] = await Promise.all([tagsIn(first), tagsIn(virtual)]);
    expect(local.tags).toEqual(['latest', ...tags.filter((_, at) => at % 2 === 0)]);
    expect(all.tags).toEqual(['latest', ...tags]);
    return [local.answer, all.answer];
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a package that is not there, whatever the name', async () => [
    await get('nothing'),
    await get('x'.repeat(2000)),
    await get('#'.repeat(1000)),
  ]);
});
