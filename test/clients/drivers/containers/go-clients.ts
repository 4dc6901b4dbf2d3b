import { join } from 'node:path';
import type { Ran } from '../driver.ts';
import type { Sandbox } from '../sandbox.ts';
import { builtCommands, commandVersion } from '../tools.ts';
import { type ContainerClient, type ImageAddress, nameOf, signIn } from './client.ts';

const folders = new Map<string, string>();

const built = async (command: string, module: string, version: string, path: string): Promise<string> => {
  const folder = await builtCommands(`${command}-${version}`, { modules: [`${module}@v${version}`], commands: [path] });
  folders.set(command, folder);
  await commandVersion(join(folder, command), 'version');
  return version;
};

const run = async (
  command: string,
  sandbox: Sandbox,
  image: ImageAddress,
  parameters: readonly string[],
): Promise<Ran> => {
  signIn(sandbox, image);
  return sandbox.run(join(folders.get(command) ?? '', command), parameters);
};

/** crane sends a layer with one PATCH, and pushes one image of a layout. */
export const crane: ContainerClient = {
  name: 'crane',
  prepare: async () =>
    built(
      'crane',
      'github.com/google/go-containerregistry',
      '0.22.1',
      'github.com/google/go-containerregistry/cmd/crane',
    ),
  push: async (sandbox, from, image, tag) => {
    const parameters = ['push', '--insecure', from, nameOf(image, `:${tag}`)];
    return run('crane', sandbox, image, parameters);
  },
  pull: async (sandbox, image, reference, to) =>
    run('crane', sandbox, image, ['pull', '--insecure', '--format=oci', nameOf(image, reference), to]),
  remove: async (sandbox, image, digest) =>
    run('crane', sandbox, image, ['delete', '--insecure', nameOf(image, `@${digest}`)]),
  // Of a 401 that the API answers without its functions, crane prints the address alone.
  prints: { levelTooLow: /DENIED|403/, wrongCredential: /UNAUTHORIZED|401|Error: GET/ },
};

/** oras sends a layer with one PUT whose digest is known. */
export const oras: ContainerClient = {
  name: 'oras',
  prepare: async () => built('oras', 'oras.land/oras', '1.3.6', 'oras.land/oras/cmd/oras'),
  push: async (sandbox, from, image, tag) => {
    const target = nameOf(image, `:${tag}`);
    return run('oras', sandbox, image, ['cp', '--from-oci-layout', `${from}:made`, '--to-plain-http', target]);
  },
  pull: async (sandbox, image, reference, to) => {
    const source = nameOf(image, reference);
    return run('oras', sandbox, image, ['cp', '--from-plain-http', source, '--to-oci-layout', `${to}:pulled`]);
  },
  remove: async (sandbox, image, digest) =>
    run('oras', sandbox, image, ['manifest', 'delete', '--force', '--plain-http', nameOf(image, `@${digest}`)]),
  prints: { levelTooLow: /denied|403/i, wrongCredential: /unauthorized|401/i },
};

const runRegctl = async (sandbox: Sandbox, image: ImageAddress, parameters: readonly string[]): Promise<Ran> => {
  await run('regctl', sandbox, image, ['registry', 'set', image.host, '--tls', 'disabled']);
  return run('regctl', sandbox, image, parameters);
};

/** regctl sends large layers in chunks with ranges. */
export const regctl: ContainerClient = {
  name: 'regctl',
  prepare: async () =>
    built('regctl', 'github.com/regclient/regclient', '0.11.7', 'github.com/regclient/regclient/cmd/regctl'),
  push: async (sandbox, from, image, tag) =>
    runRegctl(sandbox, image, ['image', 'copy', `ocidir://${from}:made`, nameOf(image, `:${tag}`)]),
  pull: async (sandbox, image, reference, to) =>
    runRegctl(sandbox, image, ['image', 'copy', nameOf(image, reference), `ocidir://${to}:pulled`]),
  remove: async (sandbox, image, digest) =>
    runRegctl(sandbox, image, ['manifest', 'delete', nameOf(image, `@${digest}`)]),
  prints: { levelTooLow: /denied|forbidden|403/i, wrongCredential: /unauthorized|401/i },
};
