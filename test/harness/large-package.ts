import { randomBytes } from 'node:crypto';
import { entryOf } from '../../functions/npm/index-entries.ts';
import { chunksOf } from '../../shared/chunks.ts';
import { storeBlob } from '../../shared/packages/blob-storage.ts';
import { packSnapshot } from '../../shared/packages/snapshot.ts';
import { fileInMemory } from '../../shared/store/receiving.ts';
import { referToBlob } from '../../shared/table/blobs.ts';
import { Table } from '../../shared/table/client.ts';
import { packageEntryKey, packageHeadKey, versionKey } from '../../shared/table/package-keys.ts';
import type { Write } from '../../shared/table/writes.ts';
import type { VersionAddress } from './package-format.ts';

/** A manifest like that of a usual package. What compresses badly in it is as long as in a real one. */
const manifestOf = (name: string, version: string) => ({
  name,
  version,
  description: 'A package of many versions, as tools that release every commit have them',
  license: 'Apache-2.0',
  main: 'index.js',
  repository: { type: 'git', url: `git+https://git.example/${name}.git` },
  scripts: { build: 'tsc', test: 'jest', prepublishOnly: 'npm run build' },
  dependencies: Object.fromEntries(['react', 'semver', 'tar', 'yaml', 'zod'].map((each) => [each, '^1.0.0'])),
  dist: {
    integrity: `sha512-${randomBytes(64).toString('base64')}`,
    shasum: randomBytes(20).toString('hex'),
    fileCount: 12,
    unpackedSize: 123_456,
  },
});

/**
 * Stores an npm package with versions 1.0.0, 1.0.1 and so on, as it is after a compaction: with all versions in the snapshot, but
 * without their files.
 */
export const storeLargePackage = async (
  { workspace, repository, name }: Pick<VersionAddress, 'workspace' | 'repository' | 'name'>,
  count: number,
): Promise<void> => {
  const ref = { contentId: repository.id, name };
  const versions = Array.from({ length: count }, (_, patch) => `1.0.${patch}`);
  const now = new Date().toISOString();
  const entries = new Map(
    versions.map((version) => [version, entryOf(manifestOf(name, version), { version, revision: 1, time: now })]),
  );
  const snapshot = fileInMemory(await packSnapshot({ entries, merged: [] }));
  const blob = await storeBlob(new Table(), workspace.id, snapshot);
  const newest = versions.at(-1);
  const origin = { kind: 'published', by: { kind: 'user', userId: workspace.id, username: 'robin', tokenId: null } };
  const head = {
    displayName: name,
    revision: count,
    versionCount: count,
    sizeInBytes: 0,
    newestVersion: newest,
    createdAt: now,
    updatedAt: now,
    'tag:latest': newest,
    snapshot: { ...blob, revision: count },
  };
  await new Table().writeUnrecorded([
    { put: { ...packageEntryKey(ref), displayName: name } },
    { put: { ...packageHeadKey(ref), ...head } },
    referToBlob(blob),
  ]);
  const stored = (version: string): Write => {
    const { pk, sk } = versionKey(ref, version);
    return { put: { pk, sk, version, revision: 1, sizeInBytes: 0, fileCount: 0, createdAt: now, origin } };
  };
  for (const batch of chunksOf(versions, 100)) await new Table().writeUnrecorded(batch.map(stored));
};
