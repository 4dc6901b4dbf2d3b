import type { Ran } from '../driver.ts';
import type { Sandbox } from '../sandbox.ts';
import { commandVersion } from '../tools.ts';
import { type ContainerClient, nameOf, signIn } from './client.ts';

/** Runs the client of the daemon that `DOCKER_HOST` names, or of that of this machine. */
const run = async (sandbox: Sandbox, ...lists: readonly (readonly string[])[]): Promise<Ran> => {
  const { DOCKER_HOST = 'unix:///var/run/docker.sock' } = process.env;
  return sandbox.runAll('docker', lists, { variables: { DOCKER_HOST } });
};

/**
 * docker unpacks what it pulls, packs again what it pushes, and sends a layer with one PATCH of unknown length. All sandboxes have
 * the one store of the daemon, so each step removes what it left there. skopeo makes archives for it, and layouts of them.
 */
export const docker: ContainerClient = {
  name: 'docker',
  prepare: async () => {
    await commandVersion('skopeo');
    return commandVersion('docker', 'version');
  },
  packsAgain: true,
  push: async (sandbox, from, image, tag) => {
    signIn(sandbox, image);
    const name = nameOf(image, `:${tag}`);
    const made = await sandbox.run('skopeo', ['copy', `oci:${from}:made`, `docker-archive:${from}.tar:${name}`]);
    if (made.isFailed) return made;
    const pushed = await run(sandbox, ['load', '--input', `${from}.tar`], ['push', name]);
    await run(sandbox, ['rmi', name]);
    return pushed;
  },
  pull: async (sandbox, image, reference, to, architecture) => {
    signIn(sandbox, image);
    const name = nameOf(image, reference);
    const platform = architecture === undefined ? [] : [`--platform=linux/${architecture}`];
    const pulled = await run(
      sandbox,
      ['pull', ...platform, name],
      ['save', '--output', `${to}.tar`, name],
      ['rmi', name],
    );
    if (pulled.isFailed) return pulled;
    return sandbox.run('skopeo', ['copy', `docker-archive:${to}.tar`, `oci:${to}:pulled`]);
  },
  combine: async (sandbox, image, tags, tag) => {
    const name = nameOf(image, `:${tag}`);
    const images = tags.map((each) => nameOf(image, `:${each}`));
    return run(
      sandbox,
      ['manifest', 'create', '--insecure', name, ...images],
      ['manifest', 'push', '--insecure', name],
    );
  },
  prints: { levelTooLow: /denied|403/i, wrongCredential: /unauthorized|401/i },
};
