import { deleteContent, listPackages } from '../../../functions/packages/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { readUsage } from '../../../shared/table/packages/usage.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);

const empty = (repository: Named, as = world.admin.bearer) =>
  service.client.attempt(deleteContent, { params: world.params({ repository: repository.id }), as });

const total = async (repository: Named): Promise<number> => {
  const params = world.params({ repository: repository.id });
  return (await service.client.succeed(listPackages, { params, as: world.admin.bearer })).total;
};

const usage = () => readUsage(new Table(), world.workspace.id);

describe('DELETE …/content', () => {
  itAnswers('200 and nothing is left, nor counted, while other repositories keep what they have', async () => {
    const repository = await service.world.repository(world.workspace, undefined, 'universal');
    await world.publish('kept/1.0.0/file', 'shared');
    const before = await usage();
    await world.publish('one/1.0.0/file', 'shared', repository);
    await world.publish('two/1.0.0/file', 'other', repository);
    expect(await total(repository)).toBe(2);
    const answer = await empty(repository);
    expect(answer.result).toEqual({ repositoryId: repository.id, status: 'emptied' });
    expect(await total(repository)).toBe(0);
    expect(await world.statusOf('one/1.0.0/file', repository)).toBe(404);
    expect(await world.statusOf('kept/1.0.0/file')).toBe(200);
    expect(await usage()).toEqual(before);
    return answer;
  });

  it('leaves the repository open for everything again, and can be repeated', async () => {
    const repository = await service.world.repository(world.workspace, undefined, 'universal');
    for (const content of ['first', 'second', 'third']) {
      await world.publish('again/1.0.0/file', content, repository);
      expect(await world.statusOf('again/1.0.0/file', repository)).toBe(200);
      expect((await empty(repository)).status).toBe(200);
    }
    expect(await total(repository)).toBe(0);
  });

  it('against parallel publishes loses none that was acknowledged after it, and counts none that it took', async () => {
    const repository = await service.world.repository(world.workspace, undefined, 'universal');
    const before = await usage();
    const paths = Array.from({ length: 12 }, (_, index) => `raced-${index}/1.0.0/file`);
    const [, ...published] = await Promise.all([
      empty(repository),
      ...paths.map(async (path) => ({ path, answer: await world.attempt(path, 'x', repository) })),
    ]);
    expect(published.map(({ answer }) => answer.status).filter((status) => status !== 201 && status !== 503)).toEqual(
      [],
    );
    const statuses = await Promise.all(paths.map((path) => world.statusOf(path, repository)));
    const reachable = statuses.filter((status) => status === 200).length;
    expect(await total(repository)).toBe(reachable);
    expect(await usage()).toEqual({
      bytes: before.bytes + reachable,
      files: before.files + reachable,
      packages: before.packages + reachable,
    });
  });

  itAnswers('400 REPOSITORY_READ_ONLY for a virtual repository', async () =>
    empty(await createVirtual(service, world.workspace, [world.repository], { packageType: 'universal' })),
  );

  itAnswers('403 FORBIDDEN where a release gate would forget what it saw, for who is no admin', async () => {
    const fields = { packageType: 'go', releaseGate: { minimumAgeHours: 72 } } as const;
    const gated = await createRemote(service, world.workspace, fields);
    const open = await createRemote(service, world.workspace, { packageType: 'go' });
    const manager = await service.world.member(world.workspace);
    for (const each of [gated, open]) await service.world.grant(world.workspace, each, manager, 'canManage');
    const answer = await empty(gated, manager.bearer);
    expect((await empty(open, manager.bearer)).status).toBe(200);
    expect((await empty(gated)).status).toBe(200);
    return answer;
  });

  itAnswers('403 FORBIDDEN for who may only deploy', async () => {
    const deployer = await service.world.member(world.workspace);
    await service.world.grant(world.workspace, world.repository, deployer, 'canDeploy');
    return empty(world.repository, deployer.bearer);
  });
});
