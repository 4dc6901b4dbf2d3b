import { getGemsDocument } from '../../../functions/gems/contracts.ts';
import { deleteVerdict, updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { sampledGates } from '../../gates/all.ts';
import { expectExactlyBlocked, statusesOf } from '../../gates/blocked-versions.ts';
import { askIn, type GatedType, newName } from '../../gates/gated-type.ts';
import { gemsGate } from '../../gates/gems.ts';
import { useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote } from '../../harness/repositories.ts';
import type { Named } from '../../harness/world.ts';

const { service, upstream, setting } = useRemotes();

const ask = askIn(service, setting);

const remoteOf = async ({ type, urlPath = '' }: Pick<GatedType, 'type' | 'urlPath'>): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: type,
    remoteRepositoryUrl: upstream.url + urlPath,
    releaseGate: null,
  });

const onName = (packageType: string, name: string) => ({
  params: { workspace: setting.workspace.id, packageType, package: name },
  as: setting.admin.bearer,
});

const block = async (packageType: string, name: string, versions: readonly string[]): Promise<void> => {
  const body = { verdict: 'block' as const, versions: [...versions], reason: 'Hijacked' };
  await service.client.succeed(updateVerdict, { ...onName(packageType, name), body });
};

const statuses = async (each: GatedType, repository: Named, name: string, version: string) =>
  statusesOf(ask, each, repository, [name, version]);

describe.each(sampledGates({ upstream, ask }))('A version of $type that a verdict blocks', (each) => {
  it('is in no form of a document and by no path, without a gate and also through a virtual repository', async () => {
    await expectExactlyBlocked({ service, upstream, workspace: setting.workspace, ask, remoteOf, block }, each);
  });

  it('is back with its verdict gone, and all of a name go with another', async () => {
    const name = (each.newName ?? newName)();
    upstream.answer = each.answer(name, { '1.0.0': 1, '1.1.0': 1 });
    const repository = await remoteOf(each);
    const listed = async () => (await each.listed(repository, name)).map((list) => list.toSorted());
    const whole = await listed();
    for (const entry of [name, `${name.slice(0, -1)}*`]) {
      await block(each.type, entry, ['*']);
      for (const list of await listed()) expect(list).toEqual([]);
      expect(await statuses(each, repository, name, '1.0.0')).toEqual([403]);
      await service.client.succeed(deleteVerdict, onName(each.type, entry));
      expect(await listed()).toEqual(whole);
      expect(await statuses(each, repository, name, '1.0.0')).toEqual([200]);
    }
  });
});

describe('The lists over all gems', () => {
  it('lack what verdicts block, also all of a name', async () => {
    const name = newName();
    upstream.answer = gemsGate({ upstream, ask }).answer(name, { '1.0.0': 1, '1.1.0': 1 });
    const repository = await remoteOf({ type: 'gems' });
    // The list only grows: a version with a minus is one that was taken out again.
    const list = async (): Promise<readonly string[]> => {
      const { text } = await ask(getGemsDocument, 'gems', repository, 'versions');
      const lines = text.split('\n').filter((line) => line.startsWith(`${name} `));
      const all = lines.flatMap((line) => line.split(' ')[1]?.split(',') ?? []);
      return all.filter((version) => !version.startsWith('-') && !all.includes(`-${version}`));
    };
    expect(await list()).toEqual(['1.0.0', '1.1.0']);
    await block('gems', name, ['1.1.0']);
    expect(await list()).toEqual(['1.0.0']);
    await block('gems', `${name.slice(0, -1)}*`, ['*']);
    expect(await list()).toEqual([]);
  });
});
