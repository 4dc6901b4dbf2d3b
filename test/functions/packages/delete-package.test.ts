import {
  deletePackage,
  deletePackageVersion,
  getPackage,
  listPackageVersions,
} from '../../../functions/packages/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { readUsage } from '../../../shared/table/packages/usage.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { serving, useUpstream } from '../../harness/upstream.ts';

const service = useService();
const upstream = useUpstream();
const world = usePackageWorld(service);

const remove = (name: string) =>
  service.client.attempt(deletePackage, { params: world.params({ package: name }), as: world.admin.bearer });

const read = async (name: string) => {
  const input = { params: world.params({ package: name }), as: world.admin.bearer };
  return [await service.client.attempt(getPackage, input), await service.client.attempt(listPackageVersions, input)];
};

describe('DELETE …/packages/{package}', () => {
  itAnswers(
    '200 and all versions are out of reach at once',
    async () => {
      const before = await readUsage(new Table(), world.repository.id);
      const files = Array.from({ length: 45 }, (_, index) => `whole/1.0.${index}/file`);
      await Promise.all(files.map((file) => world.publish(file, 'the same bytes')));
      await Promise.all(Array.from({ length: 40 }, (_, index) => world.publish(`whole/1.0.7/more-${index}`)));
      await world.publish('whole-not/1.0.0/file', 'stays');
      const answer = await remove('whole');
      expect(answer.result).toEqual({ packageName: 'whole', status: 'deleted' });
      expect((await read('whole')).map(({ code }) => code)).toEqual(['PACKAGE_NOT_FOUND', 'PACKAGE_NOT_FOUND']);
      expect(new Set(await Promise.all(files.map((file) => world.statusOf(file))))).toEqual(new Set([404]));
      expect(await world.statusOf('whole-not/1.0.0/file')).toBe(200);
      expect(await readUsage(new Table(), world.repository.id)).toEqual({
        bytes: before.bytes + 5,
        files: before.files + 1,
        packages: before.packages + 1,
      });
      return answer;
    },
    120_000,
  );

  itAnswers(
    '503 SERVICE_UNAVAILABLE when there is no time for all, which says so, and the request goes on when it is repeated',
    async () => {
      const versions = Array.from({ length: 40 }, (_, index) => `halfway/1.0.${index}/file`);
      await Promise.all(versions.map((version) => world.publish(version, 'half')));
      const functionId = deletePackage.id;
      service.proxy.inject({ functionId, operation: 'TransactWriteItems', fault: 'server-error', after: 1 });
      const answer = await remove('halfway');
      service.proxy.heal();
      expect(answer.problem?.detail).toBe(
        'A part of this is deleted, and the rest is too much for one request. Repeat it until it succeeds.',
      );
      const left = await Promise.all(versions.map((version) => world.statusOf(version)));
      expect(new Set(left)).toEqual(new Set([200, 404]));
      expect((await remove('halfway')).status).toBe(200);
      return answer;
    },
    60_000,
  );

  itAnswers(
    '400 REPOSITORY_READ_ONLY for what a virtual repository shows from another child, which it names',
    async () => {
      const [first, second] = await Promise.all(
        [0, 1].map(() => service.world.repository(world.workspace, undefined, 'universal')),
      );
      if (!first || !second) throw new Error('There are no children.');
      const virtual = await createVirtual(service, world.workspace, [world.repository, first, second], {
        packageType: 'universal',
        uploadLocalRepositoryId: world.repository.id,
      });
      for (const child of [first, second]) await world.publish('elsewhere/1.0.0/file', 'the bytes', child);
      const params = world.params({ repository: virtual.id, package: 'elsewhere' });
      const version = { ...params, version: '1.0.0' };
      const as = world.admin.bearer;
      const answers = [
        await service.client.attempt(deletePackage, { params, as }),
        await service.client.attempt(deletePackageVersion, { params: version, as }),
      ];
      const places = `is in '${first.name}' and '${second.name}': send the request there.`;
      expect(answers.map(({ problem }) => problem?.detail)).toEqual([
        expect.stringContaining(`elsewhere ${places}`) as string,
        expect.stringContaining(`elsewhere 1.0.0 ${places}`) as string,
      ]);
      expect(await world.statusOf('elsewhere/1.0.0/file', virtual)).toBe(200);
      return answers;
    },
  );

  itAnswers('400 REPOSITORY_READ_ONLY for what comes from an upstream, with no address to send it to', async () => {
    upstream.answer = serving('the bytes');
    const remote = await createRemote(service, world.workspace, {
      packageType: 'universal',
      remoteRepositoryUrl: `${upstream.url}/{package-name}/{version}/{file}`,
    });
    const virtual = await createVirtual(service, world.workspace, [world.repository, remote], {
      packageType: 'universal',
      uploadLocalRepositoryId: world.repository.id,
    });
    expect(await world.statusOf('foreign/1.0.0/file', virtual)).toBe(200);
    const params = world.params({ repository: virtual.id, package: 'foreign' });
    const answer = await service.client.attempt(deletePackage, { params, as: world.admin.bearer });
    expect(answer.problem?.detail).toContain(
      `foreign comes from the upstream of '${remote.name}', and cannot be changed here.`,
    );
    return answer;
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a package that is not there, or is deleted', async () => {
    await world.publish('once/1.0.0/file');
    await remove('once');
    return [await remove('once'), await remove('nothing')];
  });
});
