import {
  allOf,
  anyOf,
  type Condition,
  equals,
  isAbove,
  isAbsent,
  isAtMost,
  isThere,
  isUnset,
  setFields,
} from '../field-writes.ts';
import type { Put, Update } from '../writes.ts';
import type { BlobRef } from './blobs.ts';
import type { IndexChange, IndexHead } from './package-index.ts';
import { type IndexRef, indexHeadKey, mergedChangeKey, type PackageRef, packageHeadKey } from './package-keys.ts';
import { isPresent, type PackageHead } from './packages.ts';

/** By how much an index grows, and how large it may be. */
export interface IndexRoom {
  readonly addedBytes: number;
  readonly bytesMax: number;
}

/** An index still has room. What makes it smaller is never refused. */
const hasRoom = ({ addedBytes, bytesMax }: IndexRoom): Condition | undefined =>
  addedBytes > 0 ? anyOf(isUnset('entryBytes'), isAtMost('entryBytes', bytesMax - addedBytes)) : undefined;

const tagged = (tags: readonly string[], version: string) =>
  Object.fromEntries(tags.map((tag) => [`tag:${tag}`, version]));

/** What a package gets with a version, or with files of one. */
export interface HeadGrowth extends Pick<PackageHead, 'displayName' | 'document' | 'hasTagItems'> {
  readonly version: string;
  readonly isNewVersion: boolean;
  /** The tags that move to the version. */
  readonly tags: readonly string[];
  /** The tags that are set unless they are. */
  readonly keptTags: Readonly<Record<string, string>> | undefined;
  readonly bytes: number;
  readonly room: IndexRoom;
  /** Whether no file of no version may have been deleted since the head was read. */
  readonly needsLooseFiles: boolean;
  readonly now: string;
}

/** Makes or changes the head of a package that gets a version, or files of one. `before` is the head as it was read. */
export const headGrown = (ref: PackageRef, before: PackageHead | undefined, growth: HeadGrowth): Update => {
  const {
    displayName,
    document,
    hasTagItems,
    version,
    isNewVersion,
    tags,
    keptTags,
    bytes,
    room,
    needsLooseFiles,
    now,
  } = growth;
  return setFields(
    packageHeadKey(ref),
    {
      setOnce: { displayName, createdAt: now, ...keptTags },
      set: {
        updatedAt: now,
        newestVersion: isNewVersion ? version : undefined,
        document,
        hasTagItems,
        ...tagged(tags, version),
      },
      add: {
        revision: 1,
        versionCount: isNewVersion ? 1 : 0,
        sizeInBytes: bytes,
        entryBytes: room.addedBytes || undefined,
      },
    },
    allOf(
      isPresent(before) ? isAbove('versionCount', 0) : anyOf(isAbsent, equals('versionCount', 0)),
      needsLooseFiles ? equals('looseRemovals', before?.looseRemovals) : undefined,
      hasRoom(room),
    ),
  );
};

/** What a package loses with versions, or with files of them. */
export interface HeadLoss {
  readonly versionCount: number;
  readonly bytes: number;
  readonly addedEntryBytes: number;
  /** The tags that point to what is gone. */
  readonly tags: readonly string[];
  /** The version that is the newest then. */
  readonly newestVersion: string | undefined;
  readonly now: string;
}

/** Changes the head of a package that loses versions, if the package is as it was read. */
export const headShrunk = (ref: PackageRef, before: PackageHead, loss: HeadLoss): Update => {
  const { versionCount, bytes, addedEntryBytes, tags, newestVersion, now } = loss;
  return setFields(
    packageHeadKey(ref),
    {
      set: { updatedAt: now, newestVersion },
      remove: [...tags.map((tag) => `tag:${tag}`), ...(newestVersion === undefined ? ['newestVersion'] : [])],
      add: { revision: 1, versionCount: -versionCount, sizeInBytes: -bytes, entryBytes: addedEntryBytes || undefined },
    },
    equals('revision', before.revision),
  );
};

/** Raises the revision of a package and the size of its index, if that has room. */
export const headTouched = (ref: PackageRef, room: IndexRoom, now: string): Update =>
  setFields(
    packageHeadKey(ref),
    { set: { updatedAt: now }, add: { revision: 1, entryBytes: room.addedBytes } },
    allOf(isThere, hasRoom(room)),
  );

/** Raises the revision of a package whose tags are items of their own. */
export const headRetagged = (ref: PackageRef, now: string): Update =>
  setFields(packageHeadKey(ref), { set: { updatedAt: now, hasTagItems: true }, add: { revision: 1 } }, isThere);

/** Sets a tag of a package, or removes it with null. */
export const headTagged = (ref: PackageRef, tag: string, version: string | null, now: string): Update =>
  setFields(
    packageHeadKey(ref),
    {
      set: { ...(version !== null && tagged([tag], version)), updatedAt: now },
      remove: version === null ? [`tag:${tag}`] : [],
      add: { revision: 1 },
    },
    isThere,
  );

/** What a package gets with files of no version. */
export interface LooseGrowth {
  readonly displayName: string;
  /** When the sweeper looks at them. */
  readonly dueAt: string;
  /** Whether a new head keeps the name from upstreams. */
  readonly keepsName: boolean;
  readonly now: string;
}

/** Makes or changes the head of a package that gets files of no version. */
export const headOfLooseFiles = (
  ref: PackageRef,
  before: PackageHead | undefined,
  { displayName, dueAt, keepsName, now }: LooseGrowth,
): Update =>
  setFields(
    packageHeadKey(ref),
    {
      setOnce: { displayName, createdAt: now },
      set: {
        updatedAt: now,
        hasLooseFiles: true,
        looseDueAt: dueAt,
        looseAt: before || keepsName ? undefined : 0,
      },
      add: { revision: 0, versionCount: 0, sizeInBytes: 0 },
    },
    before ? isThere : isAbsent,
  );

/** Notes that somebody deletes a file of no version, if the package is as it was read. */
export const looseRemovalNoted = (ref: PackageRef, { revision }: Pick<IndexHead, 'revision'>): Update =>
  setFields(
    packageHeadKey(ref),
    { set: { updatedAt: new Date().toISOString() }, add: { looseRemovals: 1 } },
    equals('revision', revision),
  );

/** Raises the revision and the size of an index of several packages, if it has room. */
export const indexGrown = (ref: IndexRef, room: IndexRoom, now: string): Update =>
  setFields(
    indexHeadKey(ref),
    { set: { updatedAt: now }, add: { revision: 1, entryBytes: room.addedBytes } },
    hasRoom(room),
  );

/** Keeps a change that the snapshot of an index contains, unless a later one of the same version is kept. */
export const mergedChangeKept = (ref: IndexRef, change: IndexChange): Put => ({
  put: { ...change, ...mergedChangeKey(ref, change.version) },
  ...anyOf(isAbsent, isAtMost('revision', change.revision)),
});

/** Gives an index a snapshot, in place of the one that was read. */
export const snapshotTaken = (ref: IndexRef, { snapshot, revision }: IndexHead, blob: BlobRef): Update =>
  setFields(
    indexHeadKey(ref),
    { set: { snapshot: { ...blob, revision } } },
    snapshot ? equals('snapshot', snapshot) : allOf(isThere, isUnset('snapshot')),
  );
