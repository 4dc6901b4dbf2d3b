import type { Infer } from '../../shared/http/schema.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { publisherFor } from '../../shared/packages/changes/publisher.ts';
import { packageIdOf, versionIdOf } from '../../shared/packages/sources/identifiers.ts';
import { sortedEntries } from '../../shared/sorted-entries.ts';
import type { PackageRef } from '../../shared/table/packages/package-keys.ts';
import { type Origin, type PackageFile, type PackageVersion, tagsOf } from '../../shared/table/packages/packages.ts';
import { sumOf, type UsageChange } from '../../shared/table/packages/usage.ts';
import type { Holder } from './holders.ts';
import type { HeldVersion, VersionGate } from './kept-gates.ts';
import type {
  listedVersionSchema,
  packagePageSchema,
  packageSchema,
  packageVersionSchema,
  usageSchema,
} from './schemas.ts';

type ListedPackage = Infer<typeof packagePageSchema>['packages'][number];

const latestOf = (holders: readonly Holder[]): string =>
  holders.map(({ latest, head }) => latest ?? head.newestVersion).find((version) => version !== undefined) ?? '';

/** The record of a package in a list. A virtual repository may combine several holders of the package. */
export const listedPackage = (holders: readonly [Holder, ...Holder[]]): ListedPackage => {
  const [{ ref, head }] = holders;
  const heads = holders.map((holder) => holder.head);
  return {
    id: packageIdOf(ref),
    name: ref.name,
    displayName: head.displayName,
    latestVersion: latestOf(holders),
    versionCount: heads.reduce((sum, { versionCount }) => sum + versionCount, 0),
    sizeInBytes: holders.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0),
    updatedAt:
      heads
        .map((each) => each.updatedAt)
        .toSorted()
        .at(-1) ?? head.updatedAt,
  };
};

/** The full record of a package. `tagItems` are its tags that are items of their own. */
export const packageRecord = (
  packageType: PackageType,
  holders: readonly [Holder, ...Holder[]],
  tagItems: readonly { readonly tag: string; readonly version: string }[],
  held: readonly HeldVersion[],
): Infer<typeof packageSchema> => {
  const heads = holders.map(({ head }) => head);
  // If several repositories have a tag, the first one counts.
  const tags = Object.assign({}, ...heads.toReversed().map(tagsOf)) as Record<string, string>;
  return {
    ...listedPackage(holders),
    packageType,
    createdAt: heads.map((each) => each.createdAt).toSorted()[0] ?? holders[0].head.createdAt,
    tags: [...sortedEntries(tags).map(([tag, version]) => ({ tag, version })), ...tagItems],
    heldVersions: [...held],
  };
};

/** The sum of several usages. */
export const usageRecord = (parts: readonly Required<UsageChange>[]): Infer<typeof usageSchema> => ({
  ...sumOf(parts),
  metadataBytes: parts.reduce((total, { entryBytes }) => total + entryBytes, 0),
});

/** Whoever gets a record: names of users are only shown to users. */
type Viewer = Parameters<typeof publisherFor>[0];

const originRecord = (caller: Viewer, origin: Origin) =>
  origin.kind === 'published'
    ? { origin: origin.kind, publishedBy: publisherFor(caller, origin.by), fetchedFrom: null }
    : { origin: origin.kind, publishedBy: null, fetchedFrom: origin.url };

/** The record of a version in the list of its package. */
export const listedVersion = (
  caller: Viewer,
  ref: PackageRef,
  { version, sizeInBytes, fileCount, createdAt, origin }: PackageVersion,
  gate: VersionGate,
): Infer<typeof listedVersionSchema> => ({
  id: versionIdOf(ref, version),
  version,
  sizeInBytes,
  fileCount,
  createdAt,
  gate,
  ...originRecord(caller, origin),
});

/** The full record of a version, with its files. */
export const versionRecord = (
  caller: Viewer,
  ref: PackageRef,
  version: PackageVersion,
  files: readonly PackageFile[],
  gate: VersionGate,
): Infer<typeof packageVersionSchema> => ({
  ...listedVersion(caller, ref, version, gate),
  packageName: ref.name,
  files: files.map(({ file, size, mediaType, blob, sha512, sha1, md5, createdAt, origin }) => ({
    name: file,
    sizeInBytes: size,
    mediaType,
    sha256: blob.sha256,
    sha512: sha512 ?? null,
    sha1: sha1 ?? null,
    md5: md5 ?? null,
    createdAt,
    ...originRecord(caller, origin),
  })),
});
