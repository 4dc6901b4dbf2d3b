import { gunzipSync } from 'node:zlib';
import { debOf, debPath } from '../../types/debian-files.ts';
import { runApt } from '../drivers/debian.ts';
import type { Registry } from '../drivers/driver.ts';
import { ask, put, requireHash, type UpdatedType, type Updater, Verifier, wordsOf } from './updater.ts';

const dist = 'dists/stable';
const list = 'main/binary-amd64/Packages';

/** The hash and the size by which a Release names a document. */
const namedIn = (release: string, path: string): readonly [hash: string, size: number] => {
  const [, hash = '', size = ''] = new RegExp(`^ ([0-9a-f]{64}) +(\\d+) ${path}$`, 'm').exec(release) ?? [];
  return [hash, Number(size)];
};

const stanzasOf = (packages: string): Map<string, string> =>
  new Map(
    packages
      .split('\n\n')
      .filter((stanza) => stanza.trim() !== '')
      .map((stanza) => {
        const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(stanza)?.[1] ?? '';
        return [wordsOf({ name: field('Package'), version: field('Version') }), stanza];
      }),
  );

const updater = (registry: Registry): Updater => {
  const verifier = new Verifier();
  let isTrusted = false;
  let stanzas = new Map<string, string>();
  return {
    update: async () => {
      if (!isTrusted) await verifier.trust((await ask(registry, 'key.asc')).bytes);
      isTrusted = true;
      const release = (await ask(registry, `${dist}/InRelease`)).bytes;
      await verifier.verify(release);
      const text = release.toString();
      const [packed, packedSize] = namedIn(text, `${list}.gz`);
      const { bytes } = await ask(registry, `${dist}/main/binary-amd64/by-hash/SHA256/${packed}`);
      requireHash('Packages.gz', bytes, packed, packedSize);
      const open = gunzipSync(bytes);
      requireHash('Packages', open, ...namedIn(text, list));
      stanzas = stanzasOf(open.toString());
      return new Set(stanzas.keys());
    },
    download: async (build) => {
      const stanza = stanzas.get(wordsOf(build)) ?? '';
      const [, path = ''] = /^Filename: (.*)$/m.exec(stanza) ?? [];
      const [, hash = ''] = /^SHA256: (.*)$/m.exec(stanza) ?? [];
      requireHash(path, (await ask(registry, path)).bytes, hash);
      // Old clients read the Release and its signature one after the other.
      const { bytes: content } = await ask(registry, `${dist}/Release`);
      await verifier.verify((await ask(registry, `${dist}/Release.gpg`)).bytes, content);
    },
  };
};

export const debian: UpdatedType = {
  packageType: 'debian',
  client: 'apt',
  publish: async (registry, build) => put(registry, debPath(build), debOf(build)),
  updater,
  runClient: async (sandbox, registry, { name, version }) =>
    runApt(sandbox, registry, 'download', `${name}=${version}`),
};
