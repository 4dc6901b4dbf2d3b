import { gunzipSync } from 'node:zlib';
import { rpmOf, rpmPath } from '../../types/rpm-files.ts';
import type { Registry } from '../drivers/driver.ts';
import { runDnf } from '../drivers/rpm.ts';
import { ask, put, requireHash, type UpdatedType, type Updater, Verifier, wordsOf } from './updater.ts';

interface Named {
  readonly path: string;
  readonly hash: string;
  readonly openHash: string;
}

const namedIn = (repomd: string, type: string): Named => {
  const [block = ''] = new RegExp(`<data type="${type}">.*?</data>`, 's').exec(repomd) ?? [];
  const found = (pattern: RegExp): string => pattern.exec(block)?.[1] ?? '';
  return {
    path: found(/<location href="(.*?)"/),
    hash: found(/<checksum type="sha256">(.*?)</),
    openHash: found(/<open-checksum type="sha256">(.*?)</),
  };
};

/** What the primary list says of each package. */
const packagesIn = (primary: string): Map<string, string> =>
  new Map(
    primary
      .split('<package type="rpm">')
      .slice(1)
      .map((text) => {
        const [, name = ''] = /<name>(.*?)</.exec(text) ?? [];
        const [, version = ''] = /<version .*?ver="(.*?)"/.exec(text) ?? [];
        return [wordsOf({ name, version }), text];
      }),
  );

const readList = async (registry: Registry, { path, hash, openHash }: Named): Promise<string> => {
  const { bytes } = await ask(registry, path);
  requireHash(path, bytes, hash);
  const open = gunzipSync(bytes);
  requireHash(path.slice(0, -'.gz'.length), open, openHash);
  return open.toString();
};

const updater = (registry: Registry): Updater => {
  const verifier = new Verifier();
  let isTrusted = false;
  let packages = new Map<string, string>();
  return {
    update: async () => {
      if (!isTrusted) await verifier.trust((await ask(registry, 'repodata/repomd.xml.key')).bytes);
      isTrusted = true;
      const { bytes } = await ask(registry, 'repodata/repomd.xml');
      await verifier.verify((await ask(registry, 'repodata/repomd.xml.asc')).bytes, bytes);
      const [primary = '', ...others] = await Promise.all(
        ['primary', 'filelists', 'other'].map(async (type) => readList(registry, namedIn(bytes.toString(), type))),
      );
      packages = packagesIn(primary);
      for (const other of others) {
        const count = other.split('<package ').length - 1;
        if (count !== packages.size) throw new Error(`${count} packages beside ${packages.size}`);
      }
      return new Set(packages.keys());
    },
    download: async (build) => {
      const text = packages.get(wordsOf(build)) ?? '';
      const [, path = ''] = /<location href="(.*?)"/.exec(text) ?? [];
      const [, hash = ''] = /<checksum type="sha256" pkgid="YES">(.*?)</.exec(text) ?? [];
      requireHash(path, (await ask(registry, path)).bytes, hash);
    },
  };
};

export const rpm: UpdatedType = {
  packageType: 'rpm',
  client: 'dnf',
  publish: async (registry, build) => put(registry, rpmPath(build), rpmOf(build)),
  updater,
  runClient: async (sandbox, registry, { name, version }) =>
    runDnf(sandbox, registry, '--refresh', 'install', '--downloadonly', `${name}-${version}`),
};
