import type { Table } from '../client.ts';
import { contentSweepKey, type Key, repositoryKey } from '../keys.ts';
import { type BlobRef, releaseBlob } from '../packages/blobs.ts';
import {
  type IndexRef,
  namedIndexAt,
  namedIndexesList,
  namedIndexKey,
  type PackageRef,
  packageEntryKey,
  packageHeadKey,
  packageItemsList,
  packageNameAt,
  packagesList,
} from '../packages/package-keys.ts';
import { type PackageEntry, type PackageHead, wasPublished } from '../packages/packages.ts';
import type { PendingContentSweep } from '../queues/content-sweeps.ts';
import { type Check, insertion, type Write } from '../writes.ts';
import { contentIdOf, type Repository } from './repositories.ts';
import { namesTaken, sameContent } from './repository-content.ts';

/** Where the head of a package is among its items. */
const headPosition = packageHeadKey({ contentId: '', name: '' }).sk;

/** Removing an item takes one action, and releasing its blob two. A transaction takes 100 actions. */
const itemsPerWrite = 33;

/** A package that leaves its name. */
type KeptName = Pick<PackageRef, 'name'> & Pick<PackageEntry, 'displayName'>;

/** The repository whose names outlive a content; undefined if none do. */
const keeperOf = async (
  table: Table,
  { workspaceId, repositoryId }: PendingContentSweep,
): Promise<Repository | undefined> => {
  if (repositoryId === undefined) return undefined;
  const key = repositoryKey(workspaceId, repositoryId);
  return (await table.read([key])).find(key);
};

/**
 * Leaves the name of a package of an emptied local repository as that of a deleted package, so that no upstream is asked for it. Returns
 * whether that is done: not if another request emptied the repository meanwhile.
 */
const keepName = async (
  table: Table,
  sweep: PendingContentSweep,
  { name, displayName }: KeptName,
): Promise<boolean> => {
  const repository = await keeperOf(table, sweep);
  if (!repository) return true;
  const ref = { contentId: contentIdOf(repository), name };
  const now = new Date().toISOString();
  const head = { displayName, createdAt: now, updatedAt: now, revision: 0, versionCount: 0, sizeInBytes: 0 };
  const refusal = await table.writeUnrecorded([
    sameContent(repository),
    insertion(packageHeadKey(ref), head),
    insertion(packageEntryKey(ref), { displayName, isEmpty: true }),
  ]);
  // The repository may have a package of this name again.
  return !refusal?.[0];
};

/** The writes that end the search of a local repository for names in a content that it was emptied of. */
const namesKept = async (table: Table, sweep: PendingContentSweep) => {
  const repository = await keeperOf(table, sweep);
  return repository ? [namesTaken(repository, sweep.contentId)] : [];
};

/** A part of the content, and the item that leads to it. */
interface ContentPart {
  readonly ref: IndexRef;
  readonly entry?: Key<object>;
  /** Set for a package. */
  readonly named?: KeptName;
}

/** The part to remove next: a package, a named index, and last the index of the repository, which has the names of the others. */
const nextPart = async (table: Table, contentId: string): Promise<ContentPart> => {
  const [first] = (await table.query(packagesList(contentId), { limit: 1 })).items;
  const name = first && packageNameAt(first.position);
  if (name !== undefined) {
    const ref = { contentId, name };
    return { ref, entry: packageEntryKey(ref), named: { name, displayName: first?.item.displayName ?? name } };
  }
  const [named] = (await table.query(namedIndexesList(contentId), { limit: 1 })).items;
  const index = named && namedIndexAt(named.position);
  return index === undefined
    ? { ref: { contentId } }
    : { ref: { contentId, index }, entry: namedIndexKey(contentId, index) };
};

/**
 * Removes some items of the content or, if none is left, its entry from the queue. Returns the number of removed items and
 * whether the content is done. It can be interrupted and repeated at any point.
 */
export const sweepContent = async (
  table: Table,
  sweep: PendingContentSweep,
): Promise<{ removed: number; done: boolean }> => {
  const { contentId, workspaceId } = sweep;
  const { ref, entry, named } = await nextPart(table, contentId);
  const { items } = await table.query(packageItemsList(ref), { limit: itemsPerWrite });
  if (items.length === 0 && entry) {
    await table.writeUnrecorded([{ remove: entry }]);
    return { removed: 1, done: false };
  }
  if (items.length === 0) {
    const refusal = await table.writeUnrecorded([
      { remove: contentSweepKey(contentId) },
      ...(await namesKept(table, sweep)),
    ]);
    return { removed: 0, done: !refusal };
  }
  // Who reads the head before it is gone finds the name there.
  const head = items.find(({ position }) => position === headPosition)?.item as PackageHead | undefined;
  if (named && wasPublished(head) && !(await keepName(table, sweep, named))) return { removed: 0, done: false };
  const refusal = await table.writeUnrecorded(itemsRemoved(ref, items, workspaceId));
  return { removed: refusal ? 0 : items.length, done: false };
};

/** The blobs that an item may refer to: the bytes of a file or of a document, and the snapshot of an index. */
interface Referring {
  readonly blob?: BlobRef;
  readonly snapshot?: BlobRef;
  readonly deletedAt?: string;
}

/** The condition that an item is as it was read. A new snapshot in it, for example, would be another blob to release. */
const asRead = ({ blob, snapshot, deletedAt }: Referring): Pick<Check, 'if' | 'values'> => {
  const fields = Object.entries({ blob, snapshot, deletedAt });
  const present = fields.filter(([, value]) => value !== undefined);
  const conditions = fields.map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`,
  );
  return {
    if: ['attribute_exists(pk)', ...conditions].join(' AND '),
    values: Object.fromEntries(present.map(([name, value]) => [`:${name}`, value])),
  };
};

/** Removes items that must be unchanged, and releases their blobs. The blob of a tombstone is released already. */
const itemsRemoved = (
  ref: IndexRef,
  items: readonly { readonly position: string; readonly item: object }[],
  workspaceId: string,
): Write[] => {
  const { pk } = packageItemsList(ref);
  const blobs = items.flatMap(({ item }) => {
    const { blob, snapshot, deletedAt }: Referring = item;
    return deletedAt === undefined ? [blob, snapshot].filter((each) => each !== undefined) : [];
  });
  const byHash = Map.groupBy(blobs, ({ sha256 }) => sha256);
  return [
    ...items.map(({ position, item }) => ({ remove: { pk, sk: position }, ...asRead(item) })),
    ...Array.from(byHash.values()).flatMap((same) =>
      same.slice(0, 1).flatMap((blob) => releaseBlob({ ...blob, workspaceId }, same.length)),
    ),
  ];
};
