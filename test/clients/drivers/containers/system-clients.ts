import { join } from 'node:path';
import type { Ran } from '../driver.ts';
import type { Sandbox } from '../sandbox.ts';
import { commandVersion } from '../tools.ts';
import { type ContainerClient, nameOf, signIn } from './client.ts';

/** skopeo sends a layer with one PATCH of unknown length. */
export const skopeo: ContainerClient = {
  name: 'skopeo',
  prepare: async () => commandVersion('skopeo'),
  takesIndexes: true,
  push: async (sandbox, from, image, tag) => {
    signIn(sandbox, image);
    const target = `docker://${nameOf(image, `:${tag}`)}`;
    return sandbox.run('skopeo', ['copy', '--all', '--dest-tls-verify=false', `oci:${from}:made`, target]);
  },
  pull: async (sandbox, image, reference, to) => {
    signIn(sandbox, image);
    const source = `docker://${nameOf(image, reference)}`;
    return sandbox.run('skopeo', ['copy', '--all', '--src-tls-verify=false', source, `oci:${to}:pulled`]);
  },
  remove: async (sandbox, image, digest) => {
    signIn(sandbox, image);
    return sandbox.run('skopeo', ['delete', '--tls-verify=false', `docker://${nameOf(image, `@${digest}`)}`]);
  },
  prints: { levelTooLow: /denied|403/i, wrongCredential: /unauthorized|authentication|401/i },
};

/** Its store is a folder of the sandbox, without the help of the kernel: so it runs in any container. */
const runPodman = async (sandbox: Sandbox, parameters: readonly string[]): Promise<Ran> =>
  sandbox.run('podman', [
    '--root',
    join(sandbox.home, 'store'),
    '--runroot',
    join(sandbox.home, 'run'),
    '--storage-driver',
    'vfs',
    ...parameters,
  ]);

/** podman unpacks what it pulls, and packs again what it pushes. */
export const podman: ContainerClient = {
  name: 'podman',
  prepare: async () => commandVersion('podman'),
  packsAgain: true,
  takesIndexes: false,
  push: async (sandbox, from, image, tag) => {
    signIn(sandbox, image);
    const pulled = await runPodman(sandbox, ['pull', '--quiet', `oci:${from}:made`]);
    if (pulled.isFailed) return pulled;
    const id = /[0-9a-f]{64}/.exec(pulled.output)?.[0] ?? '';
    return runPodman(sandbox, ['push', '--tls-verify=false', id, `docker://${nameOf(image, `:${tag}`)}`]);
  },
  pull: async (sandbox, image, reference, to) => {
    signIn(sandbox, image);
    const name = nameOf(image, reference);
    const pulled = await runPodman(sandbox, ['pull', '--tls-verify=false', name]);
    if (pulled.isFailed) return pulled;
    return runPodman(sandbox, ['push', name, `oci:${join(sandbox.project, to)}:pulled`]);
  },
  prints: { levelTooLow: /denied|403/i, wrongCredential: /unauthorized|authentication|401/i },
};
