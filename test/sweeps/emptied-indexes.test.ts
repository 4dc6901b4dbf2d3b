import { getGemsDocument } from '../../functions/gems/contracts.ts';
import { deleteContent } from '../../functions/packages/contracts.ts';
import { Table } from '../../shared/table/client.ts';
import { sweepContent } from '../../shared/table/repositories/swept-content.ts';
import { sent } from '../gates/gated-type.ts';
import { type PackageFormat, paramsOf } from '../harness/package-format.ts';
import { helmFormat } from '../harness/package-formats.ts';
import { useRemotes } from '../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import type { Service } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { debianFormat } from '../types/debian.ts';
import { distsOf } from '../types/debian-upstreams.ts';
import { gemsFormat } from '../types/gems.ts';
import { rpmFormat } from '../types/rpm.ts';
import { repodataOf } from '../types/rpm-upstreams.ts';

jest.setTimeout(120_000);

const { service, upstream, setting } = useRemotes();

const bytes = 'of the upstream';

/** What an upstream has at paths without a slash at their beginning. */
const rooted = (contents: Readonly<Record<string, string | Uint8Array>>) =>
  Object.fromEntries(Object.entries(contents).map(([path, content]) => [`/${path}`, content]));

const filesOf = (names: readonly string[], pathOf: (name: string) => string) =>
  Object.fromEntries(names.map((name) => [pathOf(name), bytes]));

/** The versions of a gem in the list of all gems, which only grows: a version that is gone is listed again, with a minus. */
const listedGems = async (
  { client }: Service,
  { name, as, ...place }: Parameters<PackageFormat['versions']>[1],
): Promise<string[]> => {
  const { text } = await client.attempt(getGemsDocument, { params: paramsOf(place, 'versions'), as });
  const lines = text.split('\n').map((line) => line.split(' '));
  const changes = lines.flatMap(([gem, versions = '']) => (gem === name ? versions.split(',') : []));
  return changes.filter((each) => !each.startsWith('-') && changes.lastIndexOf(`-${each}`) < changes.lastIndexOf(each));
};

/** The types with an index over all packages, and what an upstream has that lists 9.9.9 of some names. */
const types: readonly (PackageFormat & {
  readonly contents: (names: readonly string[]) => Readonly<Record<string, string | Uint8Array>>;
})[] = [
  {
    ...helmFormat,
    contents: (names) => {
      const entryOf = (name: string) => [{ apiVersion: 'v2', name, version: '9.9.9', urls: [`${name}.tgz`] }];
      const entries = Object.fromEntries(names.map((name) => [name, entryOf(name)]));
      return { '/index.yaml': JSON.stringify({ apiVersion: 'v1', entries }) };
    },
  },
  {
    ...debianFormat,
    contents: (names) => rooted(distsOf(filesOf(names, (name) => `pool/main/z/zz/${name}_9.9.9_all.deb`))),
  },
  {
    ...gemsFormat,
    versions: listedGems,
    contents: (names) => {
      const lines = names.map((name) => `${name} 9.9.9 ${'0'.repeat(32)}\n`);
      return { '/versions': `created_at: 2026-01-01T00:00:00Z\n---\n${lines.join('')}` };
    },
  },
  {
    ...rpmFormat,
    contents: (names) => rooted(repodataOf(filesOf(names, (name) => `Packages/${name}-9.9.9-1.noarch.rpm`))),
  },
];

describe.each(types)('The index of all packages of $packageType', ({ contents, ...format }) => {
  const { packageType } = format;
  const place = (repository: Named) => ({
    workspace: setting.workspace,
    repository,
    as: setting.admin.bearer,
  });
  const publish = async (repository: Named, name: string, version: string): Promise<void> => {
    const address = { ...place(repository), name, version };
    expect((await format.publish(service, address, version)).status).toBe(201);
  };
  const empty = async ({ id }: Named): Promise<void> => {
    const params = { workspace: setting.workspace.id, repository: id };
    await service.client.succeed(deleteContent, { params, as: setting.admin.bearer });
  };

  it('has no version of an upstream under the names of an emptied child, before, while and after the sweeper takes them over', async () => {
    const [held, free] = [uniqueName('held'), uniqueName('free')];
    upstream.answer = sent(contents([held, free]));
    const local = await service.world.repository(setting.workspace, undefined, packageType);
    const remote = await createRemote(service, setting.workspace, { packageType, remoteRepositoryUrl: upstream.url });
    const virtual = await createVirtual(service, setting.workspace, [local, remote], { packageType });
    const versionsOf = async (name: string) => (await format.versions(service, { ...place(virtual), name })) ?? [];
    const expectOnly = async (...versions: readonly string[]): Promise<void> => {
      // Another revision, so that the index is made anew.
      await publish(local, uniqueName('new'), '1.0.0');
      expect([await versionsOf(held), await versionsOf(free)]).toEqual([versions, ['9.9.9']]);
    };
    await publish(local, held, '1.0.0');
    await expectOnly('1.0.0');
    await empty(local);
    expect([await versionsOf(held), await versionsOf(free)]).toEqual([[], ['9.9.9']]);
    await expectOnly();
    const waiting = { contentId: local.id, workspaceId: setting.workspace.id, repositoryId: local.id };
    for (let isDone = false; !isDone; ) {
      isDone = (await sweepContent(new Table(), waiting)).done;
      await expectOnly();
    }
    await empty(local);
    await expectOnly();
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    await expectOnly();
    await publish(local, held, '2.0.0');
    await expectOnly('2.0.0');
  });
});
