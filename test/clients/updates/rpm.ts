import { gunzipSync } from 'node:zlib';
import { rpmOf, rpmPath } from '../../types/rpm-files.ts';
import type { Registry } from '../drivers/driver.ts';
import { runDnf, runZypper } from '../drivers/rpm.ts';
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

/** A repomd.xml and its signature, and where what it names is. */
interface Entry {
  readonly repomd: Buffer;
  readonly signature: Buffer;
  readonly below: Registry;
}

/** As dnf asks: at the address to which the list of mirrors leads. */
const entryOfMirror = async (registry: Registry): Promise<Entry> => {
  const [url = ''] = (await ask(registry, 'mirrorlist')).bytes.toString().split('/\n');
  const below = { ...registry, url };
  const repomd = (await ask(below, 'repodata/repomd.xml')).bytes;
  return { repomd, signature: (await ask(below, 'repodata/repomd.xml.asc')).bytes, below };
};

/** As zypper asks: whether there is a repomd.xml, then for the signature, and then for the document, with the cookies that it got. */
const entryWithCookies = async (registry: Registry): Promise<Entry> => {
  const jar = new Map<string, string>();
  const askWithCookies = async (path: string): Promise<Buffer> => {
    const headers = { Cookie: Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ') };
    const answer = await ask(registry, path, jar.size > 0 ? { headers } : {});
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (cookie.includes('Max-Age=0')) jar.delete(name);
      else jar.set(name, value);
    }
    return answer.bytes;
  };
  await ask(registry, 'repodata/repomd.xml', { method: 'HEAD' });
  const signature = await askWithCookies('repodata/repomd.xml.asc');
  await askWithCookies('repodata/repomd.xml.key');
  return { repomd: await askWithCookies('repodata/repomd.xml'), signature, below: registry };
};

const updater = (registry: Registry, entry: (registry: Registry) => Promise<Entry>): Updater => {
  const verifier = new Verifier();
  let isTrusted = false;
  let packages = new Map<string, string>();
  let at = registry;
  return {
    update: async () => {
      if (!isTrusted) await verifier.trust((await ask(registry, 'repodata/repomd.xml.key')).bytes);
      isTrusted = true;
      const { repomd, signature, below } = await entry(registry);
      at = below;
      await verifier.verify(signature, repomd);
      const [primary = '', ...others] = await Promise.all(
        ['primary', 'filelists', 'other'].map(async (type) => readList(below, namedIn(repomd.toString(), type))),
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
      requireHash(path, (await ask(at, path)).bytes, hash);
    },
  };
};

const publish: UpdatedType['publish'] = async (registry, build) => put(registry, rpmPath(build), rpmOf(build));

export const rpm: UpdatedType = {
  packageType: 'rpm',
  client: 'dnf',
  publish,
  updater: (registry) => updater(registry, entryOfMirror),
  runClient: async (sandbox, registry, { name, version }) =>
    runDnf(sandbox, registry, '--refresh', 'install', '--downloadonly', `${name}-${version}`),
};

export const rpmOfZypper: UpdatedType = {
  packageType: 'rpm',
  client: 'zypper',
  publish,
  updater: (registry) => updater(registry, entryWithCookies),
  runClient: async (sandbox, registry, { name, version }) =>
    runZypper(sandbox, registry, 'install', '--download-only', `${name}=${version}`),
};
