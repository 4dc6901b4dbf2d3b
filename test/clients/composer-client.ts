import { Table } from '../../shared/table/client.ts';
import { advisoryFeedKey } from '../../shared/table/repositories/advisory-keys.ts';
import { advisory, storeAdvisories } from '../gates/stored-advisories.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { serving, useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import { composer, runComposer, sendZip, writeComposerSettings } from './drivers/composer.ts';
import type { Ran, Registry } from './drivers/driver.ts';
import type { Sandbox } from './drivers/sandbox.ts';

/** What Composer alone does, beside the cases for every client. */
jest.setTimeout(900_000);

const service = useService();
const { team, granted } = useTeam(service);
const sandbox = useSandboxes();

const upstream = useUpstream();

const registryOf = ({ name }: Named): Registry => ({
  url: `${service.url}/composer/${team.workspace.name}/${name}`,
  token: team.deployer.token,
});

const succeeded = ({ isFailed, output }: Ran): string => {
  if (isFailed) throw new Error(`The client failed:\n${output}`);
  return output;
};

describeUnlessLeftOut('composer')('composer archive', () => {
  beforeAll(async () => composer.prepare());

  it('makes a package that is published, installed, and archived again from here', async () => {
    const registry = registryOf(await granted(await service.world.repository(team.workspace, undefined, 'composer')));
    const name = `acme/${uniqueName('archived')}`;
    const author = sandbox();
    author.write({
      'project/composer.json': JSON.stringify({ name, version: '1.0.0', description: 'Archived', type: 'library' }),
      'project/src/content.php': '<?php /*the content*/',
    });
    succeeded(await runComposer(author, 'archive', '--format=zip', '--file=app'));
    succeeded(await sendZip(author, registry));
    const user = sandbox();
    succeeded(await composer.install(user, registry, { name }));
    expect(composer.contentOf(user, name)).toBe('the content');
    const other = sandbox();
    writeComposerSettings(other, registry, {});
    succeeded(await runComposer(other, 'archive', name, '1.0.0', '--format=zip', '--file=again'));
    expect(other.readBytes('again.zip').subarray(0, 2).toString()).toBe('PK');
  });
});

/** A project that has this version of a package in its lock file. */
const lockedProject = (user: Sandbox, registry: Registry, name: string, version: string): void => {
  writeComposerSettings(user, registry, { [name]: version });
  const packages = [{ name, version, type: 'metapackage' }];
  user.write({ 'project/composer.lock': JSON.stringify({ packages, 'packages-dev': [], aliases: [] }) });
};

describeUnlessLeftOut('composer')('composer audit', () => {
  const importedAt = async (time: string | undefined): Promise<void> => {
    const feed = { packageType: 'composer', running: '', entries: 1, ...(time && { importedAt: time }) };
    await new Table().writeUnrecorded([{ put: { ...advisoryFeedKey('composer'), ...feed } }]);
  };
  afterEach(async () => importedAt(undefined));

  const registry = async (): Promise<Registry> => {
    const own = await service.world.repository(team.workspace, undefined, 'composer');
    const fields = { packageType: 'composer', remoteRepositoryUrl: upstream.url } as const;
    const children = [own, await createRemote(service, team.workspace, fields)];
    return registryOf(
      await granted(await createVirtual(service, team.workspace, children, { packageType: 'composer' })),
    );
  };
  const audit = async (at: Registry, name: string, version: string): Promise<readonly string[]> => {
    const user = sandbox();
    lockedProject(user, at, name, version);
    const { output } = await runComposer(user, 'audit', '--locked', '--format=json');
    const [, json = ''] = /(\{.*\})/s.exec(output) ?? [];
    const { advisories } = JSON.parse(json) as { advisories: Record<string, { advisoryId: string }[]> };
    return Object.values(advisories).flatMap((each) => Object.values(each).map(({ advisoryId }) => advisoryId));
  };

  it('finds what was imported, in each version that a gate blocks, and in no other', async () => {
    await importedAt('2026-01-01T00:00:00.000Z');
    const name = `acme/${uniqueName('advised')}`;
    const leak = advisory({
      id: 'GHSA-1',
      versions: ['3.0.0', 'dev-main'],
      ranges: [
        [
          ['introduced', '1.0.0'],
          ['fixed', '1.2.0'],
        ],
      ],
    });
    await storeAdvisories('composer', name, [leak]);
    const at = await registry();
    for (const version of ['1.0.0', '1.2.0-beta1', '3.0.0', 'dev-main'])
      expect([version, await audit(at, name, version)]).toEqual([version, ['GHSA-1']]);
    for (const version of ['1.0.0-beta1', '1.2.0', '3.0.1', 'dev-other'])
      expect([version, await audit(at, name, version)]).toEqual([version, []]);
  });

  it('finds what the upstream knows', async () => {
    const found = {
      advisoryId: 'PKSA-1',
      packageName: 'acme/tool',
      affectedVersions: '<1.2.0',
      title: 'It leaks',
      reportedAt: '2026-01-01 00:00:00',
      sources: [{ name: 'GitHub', remoteId: 'GHSA-1' }],
    };
    const root = { 'metadata-url': '/p2/%package%.json', 'security-advisories': { 'api-url': '/advisories' } };
    upstream.answer = (request, response) =>
      serving(JSON.stringify(request.method === 'POST' ? { advisories: { 'acme/tool': [found] } } : root))(
        request,
        response,
      );
    expect(await audit(await registry(), 'acme/tool', '1.1.0')).toEqual(['PKSA-1']);
  });
});
