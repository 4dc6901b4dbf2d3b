import { deleteUniversalFile } from '../../../functions/universal/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { fileKey, versionKey } from '../../../shared/table/packages/package-keys.ts';
import { readUsage } from '../../../shared/table/packages/usage.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { serving, useUpstream } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);
const upstream = useUpstream();

const remove = (path: string, { repository = world.repository.id, as = world.admin.bearer } = {}) =>
  service.client.attempt(deleteUniversalFile, { params: world.params({ repository, path }), as });

const usage = () => readUsage(new Table(), world.repository.id);

const newVirtual = (uploadLocalRepositoryId?: string) =>
  createVirtual(service, world.workspace, [world.repository], { packageType: 'universal', uploadLocalRepositoryId });

describe('DELETE /universal/{workspace}/{repository}/{path+}', () => {
  itAnswers('200 and the file is out of reach at once while the others of its version stay', async () => {
    const before = await usage();
    await world.publish('kit/tool/1.0.0/one', 'first');
    await world.publish('kit/tool/1.0.0/two', 'second one');
    const answer = await remove('kit/tool/1.0.0/two');
    expect(answer.result).toEqual({ package: 'kit/tool', version: '1.0.0', file: 'two', status: 'deleted' });
    expect(await world.statusOf('kit/tool/1.0.0/two')).toBe(404);
    expect(await world.statusOf('kit/tool/1.0.0/one')).toBe(200);
    const key = versionKey({ contentId: world.repository.id, name: 'kit/tool' }, '1.0.0');
    expect((await new Table().read([key])).find(key)).toMatchObject({ fileCount: 1, sizeInBytes: 5 });
    expect(await usage()).toEqual({ bytes: before.bytes + 5, files: before.files + 1, packages: before.packages + 1 });
    return answer;
  });

  it('deletes the version and the package with the last file, and keeps tombstones', async () => {
    const before = await usage();
    await world.publish('last/1.0.0/file', 'the bytes');
    expect((await remove('last/1.0.0/file')).status).toBe(200);
    expect(await usage()).toEqual(before);
    const ref = { contentId: world.repository.id, name: 'last' };
    const keys = [versionKey(ref, '1.0.0'), fileKey(ref, '1.0.0', 'file')] as const;
    const loaded = await new Table().read(keys);
    expect(loaded.find(keys[0])).toMatchObject({ deletedAt: expect.any(String) });
    expect(loaded.find(keys[1])).toMatchObject({ deletedAt: expect.any(String) });
  });

  it('lets the file come back as the same bytes only', async () => {
    await world.publish('back/1.0.0/file', 'the bytes');
    await world.publish('back/1.0.0/other', 'another file');
    await remove('back/1.0.0/file');
    expect((await world.attempt('back/1.0.0/file', 'other bytes')).code).toBe('VERSION_EXISTS');
    await world.publish('back/1.0.0/file', 'the bytes');
    expect(await world.statusOf('back/1.0.0/file')).toBe(200);
  });

  it('of all files of a version at once deletes the version once', async () => {
    const before = await usage();
    const paths = Array.from({ length: 6 }, (_, index) => `all/1.0.0/file-${index}`);
    await Promise.all(paths.map((path) => world.publish(path)));
    const statuses = (await Promise.all([...paths, ...paths].map((path) => remove(path)))).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([...paths.map(() => 200), ...paths.map(() => 404)]);
    expect(await usage()).toEqual(before);
  });

  itAnswers('404 FILE_NOT_FOUND for a file, a version and a package that are not there', async () => {
    await world.publish('partly/1.0.0/file');
    return Promise.all(['partly/1.0.0/none', 'partly/2.0.0/file', 'none/1.0.0/file'].map((path) => remove(path)));
  });

  itAnswers('400 PACKAGE_INVALID for a path that names no file of a version', async () => remove('1.0.0/file'));

  itAnswers('403 FORBIDDEN for a member who may only deploy', async () => {
    await world.publish('deployed/1.0.0/file');
    const deployer = await service.world.member(world.workspace);
    await service.world.grant(world.workspace, world.repository, deployer, 'canDeploy');
    const answer = await remove('deployed/1.0.0/file', { as: deployer.bearer });
    expect(await world.statusOf('deployed/1.0.0/file')).toBe(200);
    return answer;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () => {
    const { id } = await service.world.repository(world.workspace);
    return remove('package/1.0.0/file', { repository: id });
  });

  it('deletes through a virtual repository what its upload target holds', async () => {
    await world.publish('through/1.0.0/file');
    const { id } = await newVirtual(world.repository.id);
    expect((await remove('through/1.0.0/file', { repository: id })).status).toBe(200);
    expect(await world.statusOf('through/1.0.0/file')).toBe(404);
  });

  itAnswers('400 REPOSITORY_READ_ONLY through a virtual repository without an upload target', async () => {
    const { id } = await newVirtual();
    return remove('through/1.0.0/file', { repository: id });
  });

  itAnswers(
    '400 REPOSITORY_READ_ONLY through a virtual repository for a file of another child, with its name',
    async () => {
      const other = await service.world.repository(world.workspace, uniqueName('other'), 'universal');
      await world.publish('elsewhere/1.0.0/file', 'the bytes', other);
      const { id } = await createVirtual(service, world.workspace, [world.repository, other], {
        packageType: 'universal',
        uploadLocalRepositoryId: world.repository.id,
      });
      const answer = await remove('elsewhere/1.0.0/file', { repository: id });
      expect(answer.text).toContain(`'${other.name}'`);
      return answer;
    },
  );

  it('takes a file from the cache of a remote repository, which then fetches it again', async () => {
    upstream.answer = serving('of the upstream');
    const remote = await createRemote(service, world.workspace, {
      packageType: 'universal',
      remoteRepositoryUrl: `${upstream.url}/{package-name}/{version}/{file}`,
    });
    expect(await world.statusOf('fetched/1.0.0/file', remote)).toBe(200);
    expect((await remove('fetched/1.0.0/file', { repository: remote.id })).status).toBe(200);
    expect(await world.statusOf('fetched/1.0.0/file', remote)).toBe(200);
    expect(upstream.requests.length).toBe(2);
  });
});
