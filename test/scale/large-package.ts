import { randomBytes } from 'node:crypto';
import { entryOf } from '../../functions/npm/index-entries.ts';
import { storeBlob } from '../../shared/packages/blobs/blob-storage.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import { packSnapshot } from '../../shared/packages/index/snapshot.ts';
import { neededPart } from '../../shared/packages/loose-files/loose-files.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { Table } from '../../shared/table/client.ts';
import { referToBlob } from '../../shared/table/packages/blobs.ts';
import { packageEntryKey, packageHeadKey, tagKey, versionKey } from '../../shared/table/packages/package-keys.ts';
import { digestOf } from '../harness/images.ts';
import type { VersionAddress } from '../harness/package-format.ts';
import { putItems } from '../harness/stored-items.ts';

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

type Place = Pick<VersionAddress, 'workspace' | 'repository' | 'name'>;

/** Stores a package as it is after a compaction: with all versions in the snapshot, but without their files. */
const storeVersions = async (
  { workspace, repository, name }: Place,
  entries: ReadonlyMap<string, IndexEntry>,
  fields: object,
): Promise<void> => {
  const ref = { contentId: repository.id, name };
  const versions = [...entries.keys()];
  const now = new Date().toISOString();
  const snapshot = fileInMemory(await packSnapshot({ entries, merged: [] }));
  const blob = await storeBlob(new Table(), workspace.id, snapshot);
  const origin = { kind: 'published', by: { kind: 'user', userId: workspace.id, username: 'robin', tokenId: null } };
  const head = {
    displayName: name,
    revision: versions.length,
    versionCount: versions.length,
    sizeInBytes: 0,
    newestVersion: versions.at(-1),
    createdAt: now,
    updatedAt: now,
    snapshot: { ...blob, revision: versions.length },
    ...fields,
  };
  await new Table().writeUnrecorded([
    { put: { ...packageEntryKey(ref), displayName: name } },
    { put: { ...packageHeadKey(ref), ...head } },
    referToBlob(blob),
  ]);
  await putItems(
    versions.map((version) => ({
      ...versionKey(ref, version),
      version,
      revision: 1,
      sizeInBytes: 0,
      fileCount: 0,
      createdAt: now,
      origin,
    })),
  );
};

/** Stores an npm package with versions 1.0.0, 1.0.1 and so on. */
export const storeLargePackage = async (place: Place, count: number): Promise<void> => {
  const versions = Array.from({ length: count }, (_, patch) => `1.0.${patch}`);
  const time = new Date().toISOString();
  const entries = versions.map(
    (version) => [version, entryOf(manifestOf(place.name, version), { version, revision: 1, time })] as const,
  );
  await storeVersions(place, new Map(entries), { 'tag:latest': versions.at(-1) });
};

/** Stores an image with so many manifests, each with a layer of its own and with a tag: build-000000, build-000001 and so on. */
export const storeLargeImage = async (place: Place, count: number): Promise<void> => {
  const ref = { contentId: place.repository.id, name: place.name };
  const digests = Array.from({ length: count }, (_, build) => digestOf(`${place.name} ${build}`));
  const entries = digests.map(
    (version) => [version, { version, revision: 1, parts: [neededPart([version])] }] as const,
  );
  await storeVersions(place, new Map(entries), { hasTagItems: true });
  const updatedAt = new Date().toISOString();
  await putItems(
    digests.map((version, build) => ({
      ...tagKey(ref, `build-${String(build).padStart(6, '0')}`),
      version,
      revision: 1,
      updatedAt,
    })),
  );
};
