import { type PackageRef, packageHeadKey, tagKey } from '../table/package-keys.ts';
import { isLive, isPresent, type PackageHead, type PackageTag, type PackageVersion } from '../table/packages.ts';
import type { Write } from '../table/writes.ts';
import type { PackagePublication } from './publication.ts';

/** The head and the version of a package, as they were read. */
interface Known {
  readonly head: PackageHead | undefined;
  readonly version: PackageVersion | undefined;
}

/** What a publication adds to the head. */
interface Added {
  readonly bytes: number;
  readonly now: string;
}

/** Moves a tag that is an item of its own. */
export const tagWrite = (ref: PackageRef, tag: string, held: PackageTag): Write => ({
  put: { ...tagKey(ref, tag), ...held },
});

/** The head of a package that gets files without a version. It may have no version yet. */
export const looseHeadWrite = (
  { displayName }: PackagePublication,
  ref: PackageRef,
  known: Known,
  { bytes, now }: Added,
): Write => ({
  update: packageHeadKey(ref),
  set: 'SET #displayName = if_not_exists(#displayName, :displayName), #createdAt = if_not_exists(#createdAt, :now), #versionCount = if_not_exists(#versionCount, :none), #updatedAt = :now, #hasLooseFiles = :yes ADD #revision :one, #sizeInBytes :bytes',
  if: known.head ? 'attribute_exists(pk)' : 'attribute_not_exists(pk)',
  values: { ':displayName': displayName, ':now': now, ':none': 0, ':yes': true, ':one': 1, ':bytes': bytes },
});

/** The head of a package that gets a version, or files of one. */
export const headWrite = (
  { displayName, version, document, indexedIn, tags = [] }: PackagePublication,
  ref: PackageRef,
  known: Known,
  { bytes, now }: Added,
): Write => {
  const isNew = !isLive(known.version);
  const condition = isPresent(known.head)
    ? '#versionCount > :none'
    : 'attribute_not_exists(pk) OR #versionCount = :none';
  return {
    update: packageHeadKey(ref),
    set: `SET #displayName = if_not_exists(#displayName, :displayName), #createdAt = if_not_exists(#createdAt, :now), #updatedAt = :now${isNew ? ', #newestVersion = :version' : ''}${document === undefined ? '' : ', #document = :document'}${indexedIn ? ', #indexedIn = :indexedIn' : ''}${tags.map((_, index) => `, #tag${index} = :version`).join('')} ADD #revision :one, #versionCount :versions, #sizeInBytes :bytes`,
    if: condition,
    names: Object.fromEntries(tags.map((tag, index) => [`#tag${index}`, `tag:${tag}`])),
    values: {
      ':displayName': displayName,
      ':now': now,
      ':one': 1,
      ':none': 0,
      ':versions': isNew ? 1 : 0,
      ':bytes': bytes,
      ...((isNew || tags.length > 0) && { ':version': version }),
      ...(document !== undefined && { ':document': document }),
      ...(indexedIn && { ':indexedIn': indexedIn }),
    },
  };
};
