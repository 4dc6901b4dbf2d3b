import { deletePackageVersion, listPackageVersions } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { cursorOf } from '../../harness/pages.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);

const list = (name: string, query = {}, repository: Named = world.repository) =>
  service.client.attempt(listPackageVersions, {
    params: world.params({ repository: repository.id, package: name }),
    query,
    as: world.admin.bearer,
  });

const versionsOf = (answer: Awaited<ReturnType<typeof list>>) => answer.result?.map(({ version }) => version);

describe('GET …/packages/{package}/versions', () => {
  it('lists the versions with who published them, in pages', async () => {
    for (const version of ['1.0.0', '1.1.0', '2.0.0']) await world.publish(`listed/${version}/file`, 'file');
    const all = await list('listed');
    expect(versionsOf(all)).toEqual(['1.0.0', '1.1.0', '2.0.0']);
    expect(all.result?.[0]).toMatchObject({
      sizeInBytes: 4,
      fileCount: 1,
      origin: 'published',
      publishedBy: {
        kind: 'user',
        userId: world.admin.userId,
        username: world.admin.username,
        tokenId: world.admin.tokenId,
      },
      fetchedFrom: null,
    });
    const page = await list('listed', { limit: 2 });
    expect(versionsOf(page)).toEqual(['1.0.0', '1.1.0']);
    expect(versionsOf(await list('listed', { limit: 2, cursor: cursorOf(page) }))).toEqual(['2.0.0']);
  });

  it('leaves deleted ones out', async () => {
    for (const version of ['1.0.0', '2.0.0']) await world.publish(`thinned/${version}/file`);
    const params = world.params({ package: 'thinned', version: '1.0.0' });
    await service.client.succeed(deletePackageVersion, { params, as: world.admin.bearer });
    expect(versionsOf(await list('thinned'))).toEqual(['2.0.0']);
  });

  it('of a virtual repository is the union, each version of the first repository that has it', async () => {
    const other = await service.world.repository(world.workspace, undefined, 'universal');
    await world.publish('merged/1.0.0/file', 'one');
    await world.publish('merged/1.0.0/file', 'other one', other);
    await world.publish('merged/2.0.0/file', 'other', other);
    const virtual = await createVirtual(service, world.workspace, [world.repository, other], {
      packageType: 'universal',
    });
    const { result } = await list('merged', {}, virtual);
    expect(result?.map(({ version, sizeInBytes }) => [version, sizeInBytes])).toEqual([
      ['1.0.0', 3],
      ['2.0.0', 5],
    ]);
  });

  itAnswers('400 REQUEST_INVALID for a cursor of another package', async () => {
    for (const name of ['one', 'other'])
      for (const version of ['1.0.0', '2.0.0']) await world.publish(`${name}/${version}/file`);
    const cursor = cursorOf(await list('one', { limit: 1 }));
    expect(versionsOf(await list('one', { limit: 1, cursor }))).toEqual(['2.0.0']);
    return list('other', { limit: 1, cursor });
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a package that is not there', () => list('nothing'));
});
