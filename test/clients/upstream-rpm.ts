import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Package } from './drivers/driver.ts';
import { builtRpm } from './drivers/rpm.ts';
import { etagged } from './upstream-type.ts';

/** The packages that were built: the bytes of a version are those of its first question. */
const built = new Map<string, Buffer>();

const packageOf = (each: Package): Buffer => {
  const key = JSON.stringify([each.name, each.version, each.content]);
  const bytes = built.get(key) ?? builtRpm(each);
  built.set(key, bytes);
  return bytes;
};

/** What a site serves of these versions of one package, by path, with the lists that createrepo_c makes. */
export const rpmSite = async (
  _upstream: unknown,
  versions: readonly Package[],
): Promise<Record<string, RequestListener>> => {
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-rpm-site-'));
  try {
    mkdirSync(join(folder, 'Packages'));
    for (const each of versions)
      writeFileSync(join(folder, 'Packages', `${each.name}-${each.version}-1.noarch.rpm`), packageOf(each));
    execFileSync('createrepo_c', ['--quiet', '--no-database', folder]);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.\w+$/.test(file));
    return Object.fromEntries(
      files.map((file) => [`/rpm-site/${file}`, etagged(readFileSync(join(folder, file)), 'application/octet-stream')]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
};
