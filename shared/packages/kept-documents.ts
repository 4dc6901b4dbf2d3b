import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { BoundedCache } from '../bounded-cache.ts';
import { ApiError } from '../errors.ts';
import { blobObjectKey } from '../store/keys.ts';
import { readObject } from '../store/objects.ts';
import { fileInMemory } from '../store/receiving.ts';
import { type BlobRef, referToBlob, releaseBlob } from '../table/blobs.ts';
import type { CachedDocument } from '../table/cached-documents.ts';
import type { Table } from '../table/client.ts';
import { type Key, type PackageRef, packageEntryKey } from '../table/keys.ts';
import type { RemoteRepository } from '../table/repositories.ts';
import { confirmCopy, type UpstreamCopy } from '../table/upstream-copies.ts';
import { insertion, type Update } from '../table/writes.ts';
import { storeBlob } from './blob-storage.ts';
import { sameContent } from './publication-writes.ts';

/** How long it is remembered that an upstream has no such document. */
export const missingMilliseconds = 60_000;

/** Where a document of an upstream is kept. */
export interface DocumentPlace {
  readonly table: Table;
  readonly source: RemoteRepository;
  readonly ref: PackageRef;
  readonly key: Key<CachedDocument>;
  /** Whether the list of packages holds the package already. */
  readonly isListed: boolean;
}

/** Documents as their formats read them, up to so many bytes of what was read: blobs never change. */
const known = new BoundedCache<unknown>(32 * 1024 * 1024);

/** Two documents may have the same bytes, and be read in different ways. */
const nameOf = ({ sk }: Key, blob: BlobRef): string => `${sk}\n${blobObjectKey(blob)}`;

/** Reads a document that is kept. */
export const readDocument = async <D>(
  { table, key }: DocumentPlace,
  blob: BlobRef,
  parse: (content: Uint8Array) => D,
): Promise<D> => {
  const name = nameOf(key, blob);
  const found = known.get(name);
  if (found !== undefined) return found as D;
  const packed = await readObject(blobObjectKey(blob), table.signal);
  // Its object goes a day after another one took its place, or the repository was emptied: somebody is very late.
  if (!packed) throw new ApiError('SERVICE_UNAVAILABLE');
  const content = await promisify(gunzip)(packed);
  const document = parse(content);
  known.set(name, document, content.length);
  return document;
};

/** A document to keep in the place of what was there when it was asked for. */
interface NewDocument {
  readonly content: Uint8Array;
  /** As its format reads it. */
  readonly document: unknown;
  readonly copy: UpstreamCopy;
  readonly before: CachedDocument | undefined;
}

/** Keeps a document. Who comes second, or after the repository was emptied, keeps nothing. */
export const keepDocument = async (
  { table, source, ref, key, isListed }: DocumentPlace,
  { content, document, copy, before }: NewDocument,
): Promise<void> => {
  const packed = await promisify(gzip)(content, { level: 4 });
  const blob = await storeBlob(table, source.workspaceId, fileInMemory(packed));
  known.set(nameOf(key, blob), document, content.length);
  if (before?.blob?.objectId === blob.objectId) return confirmCopy(table, key, before, copy);
  await table.write([
    sameContent(source),
    replacement(key, before, { status: 200, blob, copy }),
    referToBlob(blob),
    ...(before?.blob ? releaseBlob(before.blob) : []),
    // The sweeper finds by it what is kept of a package of which no file is.
    ...(isListed ? [] : [insertion(packageEntryKey(ref), { displayName: ref.name, isEmpty: true })]),
  ]);
};

/** Remembers that the upstream has no such document, and forgets what it had. */
export const rememberMissing = async (
  { table, key }: DocumentPlace,
  before: CachedDocument | undefined,
): Promise<void> => {
  const checkedAt = Date.now();
  const expiresAt = Math.ceil((checkedAt + missingMilliseconds) / 1000);
  await table.write([
    replacement(key, before, { status: 404, copy: { checkedAt }, expiresAt }),
    ...(before?.blob ? releaseBlob(before.blob) : []),
  ]);
};

/** Puts a document in the place of what was there: every change of it has another time. */
const replacement = (
  key: Key<CachedDocument>,
  before: CachedDocument | undefined,
  document: Omit<CachedDocument, 'fetchedAt'>,
): Update => {
  const fields: CachedDocument = { ...document, fetchedAt: new Date().toISOString() };
  const absent = (['blob', 'expiresAt'] as const).filter((name) => fields[name] === undefined);
  return {
    update: key,
    set: `SET ${Object.keys(fields)
      .map((name) => `#${name} = :${name}`)
      .join(', ')} REMOVE ${absent.map((name) => `#${name}`).join(', ')}`,
    if: before ? '#copy.#checkedAt = :before' : 'attribute_not_exists(pk)',
    values: {
      ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`:${name}`, value])),
      ...(before && { ':before': before.copy.checkedAt }),
    },
  };
};
