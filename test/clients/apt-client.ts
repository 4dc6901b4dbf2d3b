import { createRemote, createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { refusing, serving, useUpstream } from '../harness/upstream.ts';
import type { Named } from '../harness/world.ts';
import { uniqueName } from '../harness/world.ts';
import { askingUrl, useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import { apt, builtDeb, runApt } from './drivers/debian.ts';
import type { Registry } from './drivers/driver.ts';
import type { Sandbox } from './drivers/sandbox.ts';
import { commandVersion } from './drivers/tools.ts';
import { scannedSite } from './upstream-debian.ts';

/** What apt and debootstrap alone do, beside the cases for every client. */
jest.setTimeout(600_000);

const service = useService();
const sandbox = useSandboxes();
const upstream = useUpstream();
const { team, granted } = useTeam(service);

/** How many publications in a row a client follows. */
const publications = Number(process.env.APT_PUBLICATIONS ?? 10);

const newRepository = async (): Promise<Named> =>
  granted(await service.world.repository(team.workspace, undefined, 'debian'));

const registryOf = ({ name }: Named, base = service.url): Registry => ({
  url: `${base}/debian/${team.workspace.name}/${name}`,
  token: team.deployer.token,
});

const publish = async ({ url, token }: Registry, name: string, version: string, content = version): Promise<void> => {
  const body = new Uint8Array(builtDeb({ name, version, content }));
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' };
  const answer = await fetch(`${url}/pool/stable/main/upload`, { method: 'PUT', body, headers });
  if (answer.status !== 201) throw new Error(await answer.text());
};

const debootstrap = async (at: Sandbox, { url, token }: Registry, name: string) => {
  const key = ['-sS', '--user', `token:${token}`, `${url}/key.asc`, '-o', 'key.asc'];
  const address = url.replace('//', `//token:${token}@`);
  return at.runAll('sh', [
    ['-c', `curl ${key.join(' ')} && gpg --homedir . --dearmor < key.asc > key.gpg`],
    [
      '-c',
      `debootstrap --arch=amd64 --download-only --include=${name} --keyring="$PWD/key.gpg" stable ./root ${address} sid`,
    ],
  ]);
};

/** A remote repository over an upstream that has these contents by path. */
const newRemote = async (contents: Readonly<Record<string, string | Uint8Array>>): Promise<Named> => {
  upstream.answer = (request, response) => {
    const content = contents[decodeURIComponent(request.url ?? '').slice(1)];
    (content === undefined ? refusing(404) : serving(content))(request, response);
  };
  const fields = { packageType: 'debian', remoteRepositoryUrl: upstream.url } as const;
  return granted(await createRemote(service, team.workspace, fields));
};

describeUnlessLeftOut('apt')('apt', () => {
  it(`sees each of ${publications} publications at its next update`, async () => {
    const registry = registryOf(await newRepository());
    const name = uniqueName('pkg');
    const at = sandbox();
    for (let count = 1; count <= publications; count += 1) {
      await publish(registry, name, `1.${count}`);
      const { output } = await runApt(at, registry, 'download', `${name}=1.${count}`);
      expect(output).not.toMatch(/Hash Sum mismatch|\b[EW]: /);
      expect(at.has(`${name}_1.${count}_all.deb`)).toBe(true);
    }
  });

  it.each([
    ['deb … ./', './', false],
    ['deb … /', '/', false],
    ['deb … stable main', 'stable', true],
  ])('by the line %s, installs a package that the list of an upstream says is in ./', async (_, distribution, has) => {
    const name = uniqueName('pkg');
    const registry = registryOf(await newRemote(scannedSite({ name, version: '1.0', content: '1.0' }, has)));
    const at = sandbox();
    const { output } = await runApt(at, { ...registry, distribution }, 'install', name);
    expect(output).not.toMatch(/\b[EW]: /);
    expect(apt.contentOf(at, name)).toBe('1.0');
  });

  it('installs such a package from a virtual repository', async () => {
    const name = uniqueName('pkg');
    const children = [
      await newRepository(),
      await newRemote(scannedSite({ name, version: '1.0', content: '1.0' }, true)),
    ];
    const virtual = await createVirtual(service, team.workspace, children, { packageType: 'debian' });
    const at = sandbox();
    await runApt(at, registryOf(await granted(virtual)), 'install', name);
    expect(apt.contentOf(at, name)).toBe('1.0');
  });

  it('has a package that debootstrap finds, with the key of the repository', async () => {
    await commandVersion('debootstrap');
    // It gets files by wget, which sends a credential when it is asked for one.
    const registry = registryOf(await newRepository(), askingUrl(service));
    const name = uniqueName('pkg');
    await publish(registry, name, '1.0');
    const at = sandbox();
    const { output, isFailed } = await debootstrap(at, registry, name);
    expect([isFailed, output]).toEqual([false, expect.stringContaining(`Retrieving ${name} 1.0`)]);
    expect(at.find('root', `${name}_1.0_all.deb`)).toBeDefined();
  });
});
