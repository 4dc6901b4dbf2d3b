import { deletePackageVersion, getPackage, getPackageVersion } from '../../../functions/packages/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { blobKey } from '../../../shared/table/keys.ts';
import { fileKey, versionKey } from '../../../shared/table/packages/package-keys.ts';
import { readUsage } from '../../../shared/table/packages/usage.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);

const remove = (name: string, version = '1.0.0', { repository = world.repository.id, as = world.admin.bearer } = {}) =>
  service.client.attempt(deletePackageVersion, { params: world.params({ repository, package: name, version }), as });

const get = async (name: string) =>
  service.client.attempt(getPackage, { params: world.params({ package: name }), as: world.admin.bearer });

const usage = () => readUsage(new Table(), world.repository.id);

describe('DELETE …/packages/{package}/versions/{version}', () => {
  itAnswers('200 and the version is out of reach at once while the others stay', async () => {
    const before = await usage();
    await world.publish('thinned/1.0.0/file', 'first');
    await world.publish('thinned/2.0.0/file', 'second one');
    const answer = await remove('thinned', '2.0.0');
    expect(answer.result).toEqual({ packageName: 'thinned', version: '2.0.0', status: 'deleted' });
    expect(await world.statusOf('thinned/2.0.0/file')).toBe(404);
    expect(await world.statusOf('thinned/1.0.0/file')).toBe(200);
    expect((await get('thinned')).result).toMatchObject({ versionCount: 1, sizeInBytes: 5, latestVersion: '1.0.0' });
    const params = world.params({ package: 'thinned', version: '2.0.0' });
    expect((await service.client.attempt(getPackageVersion, { params, as: world.admin.bearer })).status).toBe(404);
    expect(await usage()).toEqual({ bytes: before.bytes + 5, files: before.files + 1, packages: before.packages + 1 });
    return answer;
  });

  it('leaves as latestVersion the one of several that was published last, in whatever order they go', async () => {
    const published = ['2.0.0', '10.0.0', '1.0.0', '9.0.0', '3.0.0'];
    for (const version of published) await world.publish(`several/${version}/file`);
    const latest = async () => (await get('several')).result?.latestVersion;
    expect(await latest()).toBe('3.0.0');
    await remove('several', '3.0.0');
    expect(await latest()).toBe('9.0.0');
    await remove('several', '10.0.0');
    expect(await latest()).toBe('9.0.0');
    await remove('several', '9.0.0');
    expect(await latest()).toBe('1.0.0');
    await world.publish('several/0.1.0/file');
    await remove('several', '1.0.0');
    expect(await latest()).toBe('0.1.0');
  });

  it('lets the version come back as the same bytes only', async () => {
    await world.publish('kept/1.0.0/file', 'the bytes');
    await remove('kept');
    expect((await world.attempt('kept/1.0.0/file', 'other bytes')).code).toBe('VERSION_EXISTS');
    await world.publish('kept/1.0.0/file', 'the bytes');
    expect(await world.statusOf('kept/1.0.0/file')).toBe(200);
    expect((await get('kept')).result).toMatchObject({ versionCount: 1, sizeInBytes: 9 });
  });

  it('keeps tombstones with their hashes, and gives the blob back to the sweeper', async () => {
    const { result } = await world.publish('buried/1.0.0/file', uniqueName());
    const { sha256 } = JSON.parse(JSON.stringify(result)) as { sha256: string };
    await remove('buried');
    const ref = { contentId: world.repository.id, name: 'buried' };
    const keys = [
      versionKey(ref, '1.0.0'),
      fileKey(ref, '1.0.0', 'file'),
      blobKey(world.workspace.id, sha256),
    ] as const;
    const loaded = await new Table().read(keys);
    expect(loaded.find(keys[0])).toMatchObject({ deletedAt: expect.any(String), revision: 2 });
    expect(loaded.find(keys[1])).toMatchObject({ deletedAt: expect.any(String), blob: { sha256 } });
    expect(loaded.find(keys[2])).toMatchObject({ references: 0, dueAt: expect.any(String) });
  });

  it('deletes a version of more files than one transaction takes', async () => {
    const before = await usage();
    const files = Array.from({ length: 70 }, (_, index) => `many/1.0.0/file-${index}`);
    await Promise.all(files.map((file) => world.publish(file, 'the same bytes')));
    expect((await remove('many')).status).toBe(200);
    expect(await Promise.all(files.slice(0, 5).map((file) => world.statusOf(file)))).toEqual([404, 404, 404, 404, 404]);
    expect((await get('many')).code).toBe('PACKAGE_NOT_FOUND');
    expect(await usage()).toEqual(before);
  }, 60_000);

  it('completes a deletion that was interrupted', async () => {
    const before = await usage();
    const files = Array.from({ length: 40 }, (_, index) => `cut/1.0.0/file-${index}`);
    await Promise.all(files.map((file) => world.publish(file, `bytes of ${file}`)));
    service.proxy.inject({
      functionId: deletePackageVersion.id,
      operation: 'TransactWriteItems',
      fault: 'server-error',
      after: 1,
    });
    expect((await remove('cut')).status).toBe(503);
    service.proxy.heal();
    expect((await get('cut')).result).toMatchObject({ versionCount: 1 });
    expect((await remove('cut')).status).toBe(200);
    expect(await usage()).toEqual(before);
  }, 60_000);

  it('from ten sides deletes once', async () => {
    const before = await usage();
    await world.publish('raced/1.0.0/file');
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => remove('raced')))).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, ...Array.from({ length: 9 }, () => 404)]);
    expect(await usage()).toEqual(before);
  });

  it('against parallel publishes to the version leaves no file that no version has', async () => {
    await world.publish('met/1.0.0/first');
    const paths = Array.from({ length: 8 }, (_, index) => `met/1.0.0/file-${index}`);
    await Promise.all([remove('met'), ...paths.map((path) => world.attempt(path, path))]);
    const params = world.params({ package: 'met', version: '1.0.0' });
    const { result } = await service.client.attempt(getPackageVersion, { params, as: world.admin.bearer });
    const reachable = (await Promise.all(paths.map(async (path) => ({ path, status: await world.statusOf(path) }))))
      .filter(({ status }) => status === 200)
      .map(({ path }) => path.split('/').at(-1));
    const listed = result?.files.map(({ name }) => name).filter((name) => name !== 'first') ?? [];
    expect(listed).toEqual(reachable);
    expect(result?.fileCount ?? 0).toBe(result?.files.length ?? 0);
  });

  itAnswers('200 through a virtual repository, for what its upload target holds', async () => {
    await world.publish('through/1.0.0/file');
    const virtual = await createVirtual(service, world.workspace, [world.repository], {
      packageType: 'universal',
      uploadLocalRepositoryId: world.repository.id,
    });
    return remove('through', '1.0.0', { repository: virtual.id });
  });

  itAnswers('400 REPOSITORY_READ_ONLY for a virtual repository without an upload target', async () => {
    const virtual = await createVirtual(service, world.workspace, [world.repository], { packageType: 'universal' });
    return remove('through', '1.0.0', { repository: virtual.id });
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there, or is deleted', async () => {
    for (const version of ['1.0.0', '2.0.0']) await world.publish(`twice/${version}/file`);
    await remove('twice');
    return [await remove('twice'), await remove('twice', '3.0.0')];
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a package that is not there', () => remove('nothing'));

  itAnswers('403 FORBIDDEN for who may only deploy', async () => {
    const deployer = await service.world.member(world.workspace);
    await service.world.grant(world.workspace, world.repository, deployer, 'canDeploy');
    return remove('twice', '2.0.0', { as: deployer.bearer });
  });
});
