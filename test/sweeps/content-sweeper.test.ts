import { deleteContent, deletePackageVersion } from '../../functions/packages/contracts.ts';
import { deleteRepository } from '../../functions/repositories/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { compactIndex } from '../../shared/packages/index/compaction.ts';
import { Table } from '../../shared/table/client.ts';
import { endBlob, listDueBlobs } from '../../shared/table/packages/blobs.ts';
import { packageHeadKey } from '../../shared/table/packages/package-keys.ts';
import { sweepContent } from '../../shared/table/repositories/swept-content.ts';
import { passADay } from '../harness/due-blobs.ts';
import { ageIndex, publishVersions, usePackageWorld } from '../harness/packages.ts';
import { allCases, sampledFaults } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { snapshot } from '../harness/snapshot.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import type { Named } from '../harness/world.ts';

jest.setTimeout(90_000);

const service = useService();
const world = usePackageWorld(service);

const sweep = (): Promise<boolean> => service.runner.runScheduled('sweeper');

/** Above what is served inline, so that its object can be asked for past the service. */
const large = (mark: string): string => mark.padEnd(300_000, '.');

const urlOf = async (path: string, repository: Named = world.repository): Promise<string> => {
  const params = world.params({ repository: repository.id, path });
  const { headers } = await service.client.attempt(getUniversalFile, { params, as: world.admin.bearer });
  return String(headers.location);
};

const isStored = async (url: string): Promise<boolean> => (await fetch(url)).status === 200;

const remove = (name: string) =>
  service.client.succeed(deletePackageVersion, {
    params: world.params({ package: name, version: '1.0.0' }),
    as: world.admin.bearer,
  });

/** The keys of the table in which a text occurs. */
/** The keys of items, without the queue of the sweep of grants, which begins half a minute later. */
const keysWith = async (...texts: readonly string[]): Promise<string[]> =>
  [...(await snapshot()).keys()].filter(
    (key) => !key.startsWith('SWEEPGRANTS') && texts.some((text) => key.includes(text)),
  );

describe('Blobs that nothing refers to', () => {
  it('are deleted a day later, their objects too, and not before', async () => {
    await world.publish('late/1.0.0/file', large('late'));
    const url = await urlOf('late/1.0.0/file');
    await remove('late');
    expect(await sweep()).toBe(true);
    expect(await isStored(url)).toBe(true);
    await passADay();
    expect(await sweep()).toBe(true);
    expect(await isStored(url)).toBe(false);
    expect(await keysWith('SWEEPBLOBS', 'BLOB#')).toEqual([]);
  });

  it('are kept when something refers to them again', async () => {
    await world.publish('back/1.0.0/file', large('back'));
    await remove('back');
    await world.publish('back/1.0.0/file', large('back'));
    const url = await urlOf('back/1.0.0/file');
    await passADay();
    expect(await sweep()).toBe(true);
    expect(await isStored(url)).toBe(true);
    expect(await keysWith('SWEEPBLOBS')).toEqual([]);
    await remove('back');
  });

  it('are stored anew by who publishes the bytes after their end', async () => {
    await world.publish('anew/1.0.0/file', large('anew'));
    await remove('anew');
    await passADay();
    await sweep();
    await world.publish('anew/1.0.0/file', large('anew'));
    expect(await isStored(await urlOf('anew/1.0.0/file'))).toBe(true);
    await remove('anew');
  });

  it.each([1, 2])('are deleted in the end when write %i of a run fails', async (nth) => {
    await world.publish(`cut-${nth}/1.0.0/file`, large(`cut ${nth}`));
    const url = await urlOf(`cut-${nth}/1.0.0/file`);
    await remove(`cut-${nth}`);
    await passADay();
    service.proxy.inject({
      functionId: 'sweeper',
      operation: 'TransactWriteItems',
      fault: 'server-error',
      after: nth - 1,
    });
    expect(await sweep()).toBe(false);
    service.proxy.heal();
    // Somebody brings the bytes back meanwhile: their new life is another object.
    await world.publish(`cut-${nth}/1.0.0/file`, large(`cut ${nth}`));
    const again = await urlOf(`cut-${nth}/1.0.0/file`);
    expect(await sweep()).toBe(true);
    expect(await isStored(again)).toBe(true);
    if (nth === 2) expect(await isStored(url)).toBe(false);
  });

  it('leave no object when a run ends between the table and the object store', async () => {
    await world.publish('between/1.0.0/file', large('between'));
    const url = await urlOf('between/1.0.0/file');
    await remove('between');
    await passADay();
    const table = new Table();
    for (const due of await listDueBlobs(table, 10)) await endBlob(table, due);
    await world.publish('between/1.0.0/file', large('between'));
    expect(await sweep()).toBe(true);
    expect(await isStored(url)).toBe(false);
    expect(await isStored(await urlOf('between/1.0.0/file'))).toBe(true);
    await remove('between');
  });

  it('may be swept twice at once', async () => {
    await world.publish('twice/1.0.0/file', large('twice'));
    const url = await urlOf('twice/1.0.0/file');
    await remove('twice');
    await passADay();
    expect(await Promise.all([sweep(), sweep()])).toEqual([true, true]);
    expect(await isStored(url)).toBe(false);
    expect(await keysWith('SWEEPBLOBS')).toEqual([]);
  });
});

describe('Content that is out of reach', () => {
  const filled = async (): Promise<Named> => {
    const repository = await service.world.repository(world.workspace, undefined, 'universal');
    await Promise.all(
      Array.from({ length: 45 }, (_, index) => world.publish(`big/1.0.0/${index}`, `file ${index}`, repository)),
    );
    await world.publish('a%23b/1.0.0/file', 'a file', repository);
    return repository;
  };

  const destroy = (repository: Named) =>
    service.client.succeed(deleteRepository, {
      params: world.params({ repository: repository.id }),
      as: world.admin.bearer,
    });

  it('of a deleted repository is removed, and its blobs but for those that others refer to', async () => {
    await world.publish('sharing/1.0.0/file', 'file 7');
    const before = await keysWith('BLOB#');
    const repository = await filled();
    await destroy(repository);
    expect(await sweep()).toBe(true);
    expect(await keysWith(repository.id, 'SWEEPCONTENT')).toEqual([]);
    await passADay();
    expect(await sweep()).toBe(true);
    expect(await world.statusOf('sharing/1.0.0/file')).toBe(200);
    expect(await keysWith('BLOB#', 'SWEEPBLOBS')).toEqual(before);
  });

  it('of an emptied repository is removed, and what was published since is not', async () => {
    const repository = await filled();
    const params = world.params({ repository: repository.id });
    await service.client.succeed(deleteContent, { params, as: world.admin.bearer });
    await world.publish('big/1.0.0/1', 'new', repository);
    expect(await sweep()).toBe(true);
    expect(await keysWith(`PACKAGE#${repository.id}`, `PACKAGES#${repository.id}`, 'SWEEPCONTENT')).toEqual([]);
    expect(await world.statusOf('big/1.0.0/1', repository)).toBe(200);
    await destroy(repository);
  });

  it.each(sampledFaults([0, 1, 2, 3], allCases ? 2 : 1))(
    'is removed by the next run when the writes of one fail after %i',
    async (after) => {
      const repository = await filled();
      await destroy(repository);
      service.proxy.inject({ functionId: 'sweeper', operation: 'TransactWriteItems', fault: 'server-error', after });
      expect(await sweep()).toBe(false);
      service.proxy.heal();
      expect(await sweep()).toBe(true);
      expect(await keysWith(repository.id, 'SWEEPCONTENT')).toEqual([]);
    },
  );

  it('may be swept twice at once', async () => {
    const repository = await filled();
    await destroy(repository);
    expect(await Promise.all([sweep(), sweep()])).toEqual([true, true]);
    expect(await keysWith(repository.id, 'SWEEPCONTENT')).toEqual([]);
  });

  it('leaves no snapshot behind that a compaction writes while the content is swept', async () => {
    const { workspace } = world;
    const repository = await service.world.repository(workspace);
    const ref = { contentId: repository.id, name: 'compacted' };
    await publishVersions(workspace, repository, ref.name, 1);
    await ageIndex(ref);
    await destroy(repository);
    const waiting = { contentId: repository.id, workspaceId: workspace.id };
    let compactions = 0;
    /** The table of a sweeper that a compaction overtakes between the read and the removal of the head of the package. */
    class OvertakenTable extends Table {
      override async writeUnrecorded(writes: Parameters<Table['writeUnrecorded']>[0]) {
        const isOfHead = writes.some((write) => 'remove' in write && write.remove.sk === packageHeadKey(ref).sk);
        if (isOfHead && compactions === 0) {
          compactions += 1;
          await compactIndex(new Table(), workspace.id, ref);
        }
        return super.writeUnrecorded(writes);
      }
    }
    while (!(await sweepContent(new OvertakenTable(), waiting)).done);
    expect(compactions).toBe(1);
    expect(await keysWith(repository.id, 'SWEEPCONTENT')).toEqual([]);
    expect(await brokenContent(service)).toEqual([]);
  });
});
