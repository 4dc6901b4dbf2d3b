import { publishNpmPackage } from '../../functions/npm/contracts.ts';
import { deleteContent, listPackages } from '../../functions/packages/contracts.ts';
import { deleteRepository } from '../../functions/repositories/contracts.ts';
import { statusesOf } from '../gates/blocked-versions.ts';
import { askIn, newName } from '../gates/gated-type.ts';
import { npmGate } from '../gates/npm.ts';
import { publishBody } from '../harness/npm.ts';
import { useRemotes } from '../harness/remote-repositories.ts';
import { createLocal, createRemote, createVirtual } from '../harness/repositories.ts';
import { snapshot } from '../harness/snapshot.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import type { Named } from '../harness/world.ts';

jest.setTimeout(60_000);

const { service, upstream, setting } = useRemotes();

const ask = askIn(service, setting);
const npm = npmGate({ upstream, ask });

const sweep = (): Promise<boolean> => service.runner.runScheduled('sweeper');

const publish = async (repository: Named, name: string, version = '1.0.0'): Promise<number> => {
  const { status } = await service.client.sendTo(publishNpmPackage, {
    method: 'PUT',
    path: `/npm/${setting.workspace.name}/${repository.name}/${name}`,
    headers: [
      ['Authorization', setting.admin.bearer],
      ['Content-Type', 'application/json'],
    ],
    body: JSON.stringify(publishBody(name, version)),
  });
  return status;
};

const inPath = (repository: Named) => ({
  params: { workspace: setting.workspace.id, repository: repository.id },
  as: setting.admin.bearer,
});

const empty = async (repository: Named): Promise<void> => {
  await service.client.succeed(deleteContent, inPath(repository));
};

const listed = async (repository: Named): Promise<readonly string[]> =>
  (await service.client.succeed(listPackages, inPath(repository))).packages.map(({ name }) => name);

/** A local repository with a package, the virtual one that asks it before an upstream, which has a package of that name, too. */
const held = async () => {
  const name = newName();
  upstream.answer = npm.answer(name, { '1.0.0': 100, '9.0.0': 100 });
  const local = await createLocal(service, setting.workspace);
  const remote = await createRemote(service, setting.workspace, { remoteRepositoryUrl: upstream.url });
  const virtual = await createVirtual(service, setting.workspace, [local, remote]);
  expect(await publish(local, name)).toBe(201);
  return { name, local, virtual };
};

/** What a virtual repository gives of a name: its versions, and the status of the highest file of the upstream. */
const given = async (virtual: Named, name: string) => {
  const [answer] = await npm.documents(virtual, name);
  const { versions = {} } = JSON.parse(answer?.text ?? '') as { readonly versions?: object };
  return { versions: Object.keys(versions), file: await statusesOf(ask, npm, virtual, [name, '9.0.0']) };
};

const nothing = { versions: [], file: [404] };

describe('The names in an emptied local repository', () => {
  it('stay its own, before and after the sweeper took them over, however often it is emptied', async () => {
    const { name, local, virtual } = await held();
    expect(await given(virtual, name)).toEqual({ versions: ['1.0.0'], file: [404] });
    for (const _ of [1, 2]) {
      await empty(local);
      expect(await given(virtual, name)).toEqual(nothing);
    }
    expect(await listed(virtual)).toEqual([]);
    expect(await sweep()).toBe(true);
    expect(await given(virtual, name)).toEqual(nothing);
    expect([await listed(virtual), await listed(local)]).toEqual([[], []]);
    const left = [...(await snapshot())].filter(([key]) => key.includes(local.id));
    expect(left.filter(([key]) => key.startsWith('SWEEPCONTENT'))).toEqual([]);
    expect(JSON.stringify(left)).not.toContain('earlierContents');
    expect(await brokenContent(service)).toEqual([]);
  });

  it('take packages again, with other bytes, also while the sweeper has not come yet', async () => {
    const [first, second] = [await held(), await held()];
    await empty(first.local);
    expect(await publish(first.local, first.name, '2.0.0')).toBe(201);
    await sweep();
    await empty(second.local);
    await sweep();
    expect(await publish(second.local, second.name, '2.0.0')).toBe(201);
    for (const { name, local, virtual } of [first, second]) {
      upstream.answer = npm.answer(name, { '1.0.0': 100, '9.0.0': 100 });
      expect(await given(virtual, name)).toEqual({ versions: ['2.0.0'], file: [404] });
      expect(await listed(local)).toEqual([name]);
    }
    expect(await brokenContent(service)).toEqual([]);
  });

  it('are gone with it', async () => {
    const name = newName();
    const [swept, waiting] = [
      await createLocal(service, setting.workspace),
      await createLocal(service, setting.workspace),
    ];
    for (const local of [swept, waiting]) expect(await publish(local, name)).toBe(201);
    await empty(swept);
    await sweep();
    await empty(waiting);
    for (const local of [swept, waiting]) await service.client.succeed(deleteRepository, inPath(local));
    expect(await sweep()).toBe(true);
    const keys = [...(await snapshot()).keys()].filter((key) => key.includes(name) && !key.includes('AUDIT'));
    expect(keys).toEqual([]);
    expect(await brokenContent(service)).toEqual([]);
  });
});
