import { deepStrictEqual, rejects } from 'node:assert';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface CraneSetting {
  readonly command: string;
  /** A folder of its own, in which it keeps the credential. */
  readonly folder: string;
  readonly url: string;
  readonly password: string;
}

const layerBytes = 20_000_000;

/** Pushes, pulls, copies, lists and deletes images with crane. Returns what was done. */
export const crane = async ({ command, folder, url, password }: CraneSetting): Promise<readonly string[]> => {
  const run = async (...parameters: readonly string[]): Promise<string> => {
    const env = { ...process.env, HOME: folder, DOCKER_CONFIG: folder };
    const { stdout } = await promisify(execFile)(command, [...parameters], { env });
    return stdout.trim();
  };
  const { host } = new URL(url);
  const images = `${host}/acme/images`;
  const layers = [1_000, layerBytes].map((bytes) => {
    const path = join(folder, `${bytes}`);
    writeFileSync(path, randomBytes(bytes));
    const archive = `${path}.tar`;
    return { path, archive };
  });
  for (const { path, archive } of layers) await promisify(execFile)('tar', ['cf', archive, path]);
  await run('auth', 'login', host, '-u', 'admin', '-p', password);
  await run('append', '--new_tag', `${images}/web:1`, ...layers.flatMap(({ archive }) => ['--new_layer', archive]));
  await run('validate', '--remote', `${images}/web:1`);
  await run('pull', `${images}/web:1`, join(folder, 'web.tar'));
  const digest = await run('digest', `${images}/web:1`);
  await run('push', join(folder, 'web.tar'), `${images}/again:1`);
  await run('copy', `${images}/web:1`, `${images}/copied:1`);
  deepStrictEqual(await run('digest', `${images}/copied:1`), digest);
  await run('index', 'append', '-m', `${images}/copied:1`, '-t', `${images}/copied:all`);
  await run('validate', '--remote', `${images}/copied:all`);
  deepStrictEqual(await run('ls', `${images}/copied`), '1\nall');
  // A redirect to the port of the object store is one that no remote repository follows: large layers are on other hosts.
  await run('append', '--new_tag', `${images}/small:1`, '--new_layer', layers[0]?.archive ?? '');
  await run('validate', '--remote', `${host}/acme/mirror/small:1`);
  deepStrictEqual(await run('digest', `${host}/acme/mirror/small:1`), await run('digest', `${images}/small:1`));
  deepStrictEqual(await run('ls', `${host}/acme/mirror/copied`), '1\nall');
  await run('delete', `${images}/copied:all`);
  deepStrictEqual(await run('ls', `${images}/copied`), '1');
  await rejects(run('manifest', `${images}/copied:all`), /MANIFEST_UNKNOWN/);
  return [
    'pushed, validated and pulled an image with a layer above the limit of a request',
    'copied it, which mounts its layers, and made an index',
    'pulled one through a remote repository',
    'listed and deleted tags',
  ];
};
