import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useService } from '../harness/service.ts';
import type { Named } from '../harness/world.ts';
import { uniqueName } from '../harness/world.ts';
import { useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import { builtDeb, runApt } from './drivers/debian.ts';
import type { Registry } from './drivers/driver.ts';
import type { Sandbox } from './drivers/sandbox.ts';
import { commandVersion } from './drivers/tools.ts';

/** What apt and debootstrap alone do, beside the cases for every client. */
jest.setTimeout(600_000);

const service = useService();
const sandbox = useSandboxes();
const { team, granted } = useTeam(service);

/** How many publications in a row a client follows. */
const publications = Number(process.env.APT_PUBLICATIONS ?? 10);

const newRepository = async (): Promise<Named> =>
  granted(await service.world.repository(team.workspace, undefined, 'debian'));

const registryOf = ({ name }: Named): Registry => ({
  url: `${service.runner.url}/debian/${team.workspace.name}/${name}`,
  token: team.deployer.token,
});

const publish = async ({ url, token }: Registry, name: string, version: string, content = version): Promise<void> => {
  const body = new Uint8Array(builtDeb({ name, version, content }));
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' };
  const answer = await fetch(`${url}/pool/stable/main/upload`, { method: 'PUT', body, headers });
  if (answer.status !== 201) throw new Error(await answer.text());
};

/** An address before the service that changes what it passes on. */
const tampering = async (target: string, change: (path: string, bytes: Buffer) => Buffer) => {
  const pass = async ({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = await fetch(`${target}${url}`, { headers: { Authorization: headers.authorization ?? '' } });
    const bytes = change(url, Buffer.from(await answer.arrayBuffer()));
    response.writeHead(answer.status, { 'Content-Length': bytes.length }).end(bytes);
  };
  const server = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** The bytes with one of the last ones changed. */
const flipped = (bytes: Buffer, fromEnd: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[copy.length - fromEnd] = (copy[copy.length - fromEnd] ?? 0) ^ 1;
  return copy;
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
    ['a Release', /InRelease$/, 300, /signature|invalid|GPG error/i],
    ['a list', /Packages|by-hash/, 20, /Hash Sum mismatch/],
    ['a package', /\.deb$/, 100, /Hash Sum mismatch/],
  ])('refuses %s that was changed on its way', async (_, changed, fromEnd, refusal) => {
    const registry = registryOf(await newRepository());
    const name = uniqueName('pkg');
    await publish(registry, name, '1.0');
    const { server, url } = await tampering(service.runner.url, (path, bytes) =>
      changed.test(path) ? flipped(bytes, fromEnd) : bytes,
    );
    const through = { ...registry, url: registry.url.replace(service.runner.url, url) };
    const { output, isFailed } = await runApt(sandbox(), through, 'install', name);
    server.close();
    expect([isFailed, output]).toEqual([true, expect.stringMatching(refusal)]);
  });

  it('has a package that debootstrap finds, with the key of the repository', async () => {
    await commandVersion('debootstrap');
    const registry = registryOf(await newRepository());
    const name = uniqueName('pkg');
    await publish(registry, name, '1.0');
    const at = sandbox();
    const { output, isFailed } = await debootstrap(at, registry, name);
    expect([isFailed, output]).toEqual([false, expect.stringContaining(`Retrieving ${name} 1.0`)]);
    expect(at.find('root', `${name}_1.0_all.deb`)).toBeDefined();
  });
});
