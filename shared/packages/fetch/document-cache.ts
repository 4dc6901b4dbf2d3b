import { BoundedCache } from '../../bounded-cache.ts';
import { gunzipped, gzipped } from '../../gzip.ts';
import { blobObjectKey } from '../../store/keys.ts';
import { fileInMemory, type ReceivedFile } from '../../store/received-file.ts';
import type { Table } from '../../table/client.ts';
import type { Key } from '../../table/keys.ts';
import { type BlobRef, releaseBlob } from '../../table/packages/blobs.ts';
import { type CachedDocument, documentReplaced } from '../../table/packages/cached-documents.ts';
import { type PackageRef, packageEntryKey } from '../../table/packages/package-keys.ts';
import type { ReleaseTimes } from '../../table/packages/release-times.ts';
import { confirmation, type UpstreamCopy } from '../../table/packages/upstream-copies.ts';
import { endWithContent, type UpstreamFetch } from '../../table/packages/upstream-fetches.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { sameContent } from '../../table/repositories/repository-content.ts';
import { insertion, type Write } from '../../table/writes.ts';
import { type PreparedBlob, preparedBlob, prepareFetched, storeBlob } from '../blobs/blob-storage.ts';
import { readBlob } from '../blobs/stored-bytes.ts';
import { longestHold } from '../releases/release-times.ts';
import { absenceOf } from './freshness.ts';

/** The cache entry for a document of an upstream. */
export interface CacheEntry {
  readonly table: Table;
  readonly source: RemoteRepository;
  readonly ref: PackageRef;
  readonly key: Key<CachedDocument>;
  /** The lease under which the upstream is asked. It ends with each write of this entry. */
  readonly leaseKey: Key<UpstreamFetch>;
  /** Whether the list of packages already contains the package. */
  readonly isListed: boolean;
}

/** Parsed documents, up to 32 MiB before parsing. They stay valid, because a blob never changes. */
const known = new BoundedCache<unknown>(32 * 1024 * 1024);

/** The name contains the key of the item: two documents may share a blob and be parsed differently. */
const nameOf = ({ sk }: Key, blob: BlobRef): string => `${sk}\n${blobObjectKey(blob)}`;

/** Reads a document from the cache; undefined if the store has lost it. */
export const readDocument = async <D>(
  { table, key }: Pick<CacheEntry, 'table' | 'key'>,
  blob: BlobRef,
  parse: (content: Uint8Array) => D,
): Promise<D | undefined> => {
  const name = nameOf(key, blob);
  const found = known.get(name);
  if (found !== undefined) return found as D;
  const packed = await readBlob(table, blob);
  if (!packed) return undefined;
  const content = await gunzipped(packed);
  const document = parse(content);
  known.set(name, document, content.length);
  return document;
};

/** A document as the cache has it. */
export const packDocument = async (content: Uint8Array): Promise<ReceivedFile> =>
  fileInMemory(await gzipped(content, 4));

/** A document to keep. It replaces `before`, which was in the cache when the upstream was asked. */
interface NewDocument {
  readonly packed: ReceivedFile;
  /** Its size before compression. */
  readonly bytes: number;
  /** The parsed content. */
  readonly document: unknown;
  readonly copy: UpstreamCopy;
  readonly releases: ReleaseTimes | undefined;
  readonly before: CachedDocument | undefined;
}

/** Writes something together with the end of the lease. Returns whether its conditions held. */
const written = async ({ table, leaseKey }: CacheEntry, writes: readonly Write[]): Promise<boolean> =>
  (await table.writeUnrecorded([...writes, endWithContent(leaseKey)])) === undefined;

/** Records that the upstream confirmed the cached document. */
export const confirmDocument = async (
  entry: CacheEntry,
  cached: CachedDocument,
  copy: UpstreamCopy,
): Promise<boolean> => written(entry, [confirmation(entry.key, cached, copy)]);

/**
 * Writes a document to the cache, which ends the lease, and returns whether it did: it writes nothing if another request replaced the
 * document or emptied the repository first.
 */
export const keepDocument = async (
  entry: CacheEntry,
  { packed, bytes, document, copy, releases, before }: NewDocument,
): Promise<boolean> => {
  const { table, source, ref, key, leaseKey, isListed } = entry;
  const stored = async () => preparedBlob(await storeBlob(table, source.workspaceId, packed));
  const keep = async ({ ref: blob, refer }: PreparedBlob, lists: boolean) =>
    table.writeUnrecorded([
      refer(),
      // The sweeper goes through the list of packages, and this package may have no files in the cache.
      ...(lists ? [insertion(packageEntryKey(ref), { displayName: ref.name, isEmpty: true })] : []),
      sameContent(source),
      documentReplaced(key, before, { status: 200, blob, bytes, copy, releases }),
      ...(before?.blob ? releaseBlob(before.blob) : []),
      endWithContent(leaseKey),
    ]);
  const isSame = before?.blob?.sha256 === packed.hashes.sha256;
  let prepared = isSame ? await stored() : await prepareFetched(table, source.workspaceId, packed);
  const isKept = before?.blob?.objectId === prepared.ref.objectId;
  let refusal = isKept ? undefined : await keep(prepared, !isListed);
  // Another document of the package, or a file of it, has arrived at the same time.
  const isListedNow = isListed || refusal?.[1] !== undefined;
  // The workspace has the bytes in another life of the blob.
  const isOtherLife = refusal?.[0] !== undefined;
  if (isOtherLife) prepared = await stored();
  if (isOtherLife || isListedNow !== isListed) refusal = await keep(prepared, !isListedNow);
  known.set(nameOf(key, prepared.ref), document, bytes);
  return isKept ? confirmDocument(entry, before, copy) : refusal === undefined;
};

/** Remembers that the upstream has no such document, and drops the cached one. A gate may ask for the times of it for longer. */
export const rememberMissing = async (
  entry: CacheEntry,
  before: CachedDocument | undefined,
  releases: ReleaseTimes | undefined,
): Promise<boolean> => {
  const { checkedAt, expiresAt } = absenceOf('document');
  const askedUntil = Math.ceil(((releases?.newest ?? 0) + longestHold) / 1000);
  return written(entry, [
    documentReplaced(entry.key, before, {
      status: 404,
      copy: { checkedAt },
      releases,
      expiresAt: Math.max(expiresAt, askedUntil),
    }),
    ...(before?.blob ? releaseBlob(before.blob) : []),
  ]);
};
