import { join } from 'node:path';
import type { Ran } from '../driver.ts';
import type { Sandbox } from '../sandbox.ts';
import { commandVersion } from '../tools.ts';
import { type ContainerClient, nameOf, signIn } from './client.ts';

/** skopeo sends a layer with one PATCH of unknown length. */
export const skopeo: ContainerClient = {
  name: 'skopeo',
  prepare: async () => commandVersion('skopeo'),
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

/** A client whose store is a folder of the sandbox, without the help of the kernel: so it runs in any container. */
const storing = (command: 'podman' | 'buildah'): ContainerClient => {
  const run = async (sandbox: Sandbox, ...lists: readonly (readonly string[])[]): Promise<Ran> => {
    const store = ['--root', join(sandbox.home, 'store'), '--runroot', join(sandbox.home, 'run')];
    return sandbox.runAll(command, lists, { first: [...store, '--storage-driver', 'vfs'] });
  };
  return {
    name: command,
    prepare: async () => commandVersion(command),
    packsAgain: true,
    push: async (sandbox, from, image, tag) => {
      signIn(sandbox, image);
      const pulled = await run(sandbox, ['pull', '--quiet', `oci:${from}:made`]);
      if (pulled.isFailed) return pulled;
      const id = /[0-9a-f]{64}/.exec(pulled.output)?.[0] ?? '';
      return run(sandbox, ['push', '--tls-verify=false', id, `docker://${nameOf(image, `:${tag}`)}`]);
    },
    pull: async (sandbox, image, reference, to, architecture) => {
      signIn(sandbox, image);
      const name = nameOf(image, reference);
      const platform = architecture === undefined ? [] : [`--platform=linux/${architecture}`];
      return run(
        sandbox,
        ['pull', '--tls-verify=false', ...platform, name],
        ['push', name, `oci:${join(sandbox.project, to)}:pulled`],
      );
    },
    combine: async (sandbox, image, tags, tag) => {
      const names = tags.map((each) => `docker://${nameOf(image, `:${each}`)}`);
      return run(
        sandbox,
        ['manifest', 'create', 'list'],
        ...names.map((each) => ['manifest', 'add', '--tls-verify=false', 'list', each]),
        ['manifest', 'push', '--all', '--tls-verify=false', 'list', `docker://${nameOf(image, `:${tag}`)}`],
      );
    },
    prints: { levelTooLow: /denied|403/i, wrongCredential: /unauthorized|authentication|401/i },
  };
};

/** podman and buildah unpack what they pull, and pack again what they push. */
export const podman = storing('podman');
export const buildah = storing('buildah');
