import { archiveOf, importArchive, osvEntry, useImportWorld } from '../gates/osv.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { serving, useUpstream } from '../harness/upstream.ts';
import { uniqueName } from '../harness/world.ts';
import { urlFor, useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import type { Registry } from './drivers/driver.ts';
import { nugetClient, nugetProtocol, nugetVariables } from './drivers/nuget-protocol.ts';

/** What NuGet.Protocol alone does, beside the cases for every client. */
jest.setTimeout(900_000);

const service = useService();
const imports = useImportWorld(service);
const { team, granted } = useTeam(service);
const sandbox = useSandboxes();
const upstream = useUpstream();

const registry = async (): Promise<Registry> => {
  const own = await service.world.repository(team.workspace, undefined, 'nuget');
  const fields = { packageType: 'nuget', remoteRepositoryUrl: `${upstream.url}/v3/index.json` } as const;
  const children = [own, await createRemote(service, team.workspace, fields)];
  const { name } = await granted(await createVirtual(service, team.workspace, children, { packageType: 'nuget' }));
  return { url: `${urlFor(service, nugetProtocol)}/nuget/${team.workspace.name}/${name}`, token: team.deployer.token };
};

/** Of each advisory on a package, which of these versions it is about. */
const vulnerabilities = async ({ url, token }: Registry, name: string, versions: readonly string[]) => {
  const parameters = ['vulnerabilities', `${url}/v3/index.json`, token, `${name}@${versions.join()}`];
  const { isFailed, output } = await sandbox().run(nugetClient, parameters, nugetVariables);
  if (isFailed) throw new Error(`The client failed:\n${output}`);
  return output.split('\n').filter((line) => line.startsWith('https:'));
};

const versions = ['0.1.0-a', '1.0.0', '1.2.0-beta', '1.2.0', '2.0.0-Beta', '2.1', '2.1.0.1', '3.0.0', '4.0.0'];

describeUnlessLeftOut('nuget-protocol')('Known vulnerabilities of NuGet', () => {
  beforeAll(async () => nugetProtocol.prepare?.());

  it('come from the upstream', async () => {
    const known = (path: string) => `${upstream.url}/known/${path}`;
    const documents: Readonly<Record<string, unknown>> = {
      '/v3/index.json': { resources: [{ '@id': known('index.json'), '@type': 'VulnerabilityInfo/6.7.0' }] },
      '/known/index.json': [{ '@name': 'base', '@id': known('base.json'), '@updated': '2026-01-01T00:00:00Z' }],
      '/known/base.json': { tool: [{ url: 'https://example.com/1', severity: 2, versions: '[1.2.0-beta, 2.1)' }] },
    };
    upstream.answer = (request, response) =>
      serving(JSON.stringify(documents[request.url ?? '']) ?? '')(request, response);
    expect(await vulnerabilities(await registry(), 'Tool', versions)).toEqual([
      'https://example.com/1 2 1.2.0-beta,1.2.0,2.0.0-Beta',
    ]);
  });

  it('are what was imported, each version that a gate blocks and no other', async () => {
    const [name, all] = [uniqueName('Acme.Tool'), uniqueName('all')];
    const [leak, malware] = [`GHSA-${uniqueName('a')}`, `MAL-${uniqueName('a')}`];
    const range = (...events: object[]) => ({ type: 'ECOSYSTEM', events });
    const entry = (id: string, on: string, affected: object, fields: object = {}) => ({
      ...osvEntry(id, on, fields),
      affected: [{ package: { ecosystem: 'NuGet', name: on }, ...affected }],
    });
    const two = range({ introduced: '0' }, { fixed: '1.2' }, { introduced: '2.0.0-beta' }, { last_affected: '2.1.0' });
    const entries = [
      entry(leak, name, { ranges: [two], versions: ['3.0'] }, { database_specific: { severity: 'CRITICAL' } }),
      entry(malware, all, { ranges: [range({ introduced: '0' })] }),
    ];
    const fields = { packageType: 'nuget', allowsFewerEntries: true } as const;
    expect(await importArchive(imports, archiveOf(entries), fields)).toMatchObject({ state: 'done' });
    const at = await registry();
    expect(await vulnerabilities(at, name, versions)).toEqual([
      `https://osv.dev/vulnerability/${leak} 3 0.1.0-a,1.0.0,1.2.0-beta`,
      `https://osv.dev/vulnerability/${leak} 3 2.0.0-Beta,2.1`,
      `https://osv.dev/vulnerability/${leak} 3 3.0.0`,
    ]);
    expect(await vulnerabilities(at, all, ['0.0.0-0', ...versions])).toEqual([
      `https://osv.dev/vulnerability/${malware} 3 0.0.0-0,${versions.join()}`,
    ]);
  });
});
