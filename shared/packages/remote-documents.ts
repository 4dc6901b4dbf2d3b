import type { CachedDocument } from '../table/cached-documents.ts';
import type { Table } from '../table/client.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import { cachedDocumentKey, type Key, packageEntryKey, upstreamPauseKey } from '../table/keys.ts';
import { contentIdOf, type RemoteRepository } from '../table/repositories.ts';
import { confirmCopy, takeLease, type UpstreamPause } from '../table/upstream-copies.ts';
import { readMetadata } from '../upstream/read-metadata.ts';
import { UpstreamError } from '../upstream/upstream-error.ts';
import {
  askUpstream,
  type CacheState,
  forFetching,
  isFreshAt,
  isServableStale,
  type UpstreamContent,
  withReserve,
} from './asking-upstream.ts';
import {
  type DocumentPlace,
  keepDocument,
  missingMilliseconds,
  readDocument,
  rememberMissing,
} from './kept-documents.ts';

/** A document about a package at an upstream, and how its format reads it. */
export interface UpstreamDocument<D> {
  /** The package, by the type's normalised name. */
  readonly name: string;
  /** Tells the documents of a package apart, and what earlier releases kept of them in another form. */
  readonly document: string;
  readonly url: string;
  readonly accept?: string;
  /** What is kept of what the upstream sent: all of it when absent. Throws when it is no such document. */
  readonly condense?: (sent: Buffer) => Uint8Array;
  /** Reads what is kept. Throws when it is no such document. */
  readonly parse: (kept: Uint8Array) => D;
}

/** A document of an upstream, and how it came about. */
export interface LoadedDocument<D> {
  readonly document: D;
  readonly cache: CacheState;
}

/** What `loadDocument` reads first: who needs several documents reads them all at once, and passes on what was loaded. */
export const documentKeys = (
  source: RemoteRepository,
  { name, document }: Pick<UpstreamDocument<unknown>, 'name' | 'document'>,
): Key[] => {
  const ref = { contentId: contentIdOf(source), name };
  return [cachedDocumentKey(ref, document), packageEntryKey(ref), upstreamPauseKey(ref.contentId)];
};

/** What is known when a document is to be loaded. */
interface Load<D> extends DocumentPlace {
  readonly wanted: UpstreamDocument<D>;
  readonly cached: CachedDocument | undefined;
  readonly pause: UpstreamPause | undefined;
}

/** Loads a document of an upstream from the cache, or else from the upstream; undefined when the upstream has none. */
export const loadDocument = async <D>(
  requestTable: Table,
  source: RemoteRepository,
  wanted: UpstreamDocument<D>,
  loaded?: IdentityMap,
): Promise<LoadedDocument<D> | undefined> => {
  const table = forFetching(requestTable);
  const keys = documentKeys(source, wanted);
  const read = loaded && keys.every((key) => loaded.hasRead(key)) ? loaded : await table.read(keys);
  const ref = { contentId: contentIdOf(source), name: wanted.name };
  const key = cachedDocumentKey(ref, wanted.document);
  const isListed = read.find(packageEntryKey(ref)) !== undefined;
  const cached = source.isRemoteCacheEnabled ? read.find(key) : undefined;
  const load = { table, source, ref, key, isListed, wanted, cached, pause: read.find(upstreamPauseKey(ref.contentId)) };
  if (cached && isFresh(source, cached)) return kept(load, cached, 'hit');
  if (!cached?.blob || !isServableStale(cached.copy)) return withReserve(async () => asked(load));
  const lease = await takeLease(table, key, cached);
  if (!lease)
    return withReserve(
      async () => asked(load),
      async () => kept(load, cached, 'stale'),
    );
  const now = lease.found ?? cached;
  return kept(load, now, isFresh(source, now) ? 'hit' : 'stale');
};

const isFresh = (source: RemoteRepository, { status, copy }: CachedDocument): boolean =>
  isFreshAt(copy.checkedAt, status === 404 ? missingMilliseconds : source.metadataCacheTimeTillRevalidation);

/** What the cache has. */
const kept = async <D>(
  load: Load<D>,
  { blob }: CachedDocument,
  cache: CacheState,
): Promise<LoadedDocument<D> | undefined> =>
  blob && { document: await readDocument(load, blob, load.wanted.parse), cache };

/** What the upstream has, which is kept where the repository keeps anything. */
const asked = async <D>(load: Load<D>): Promise<LoadedDocument<D> | undefined> => {
  const { table, source, wanted, cached, pause, key } = load;
  const { url, accept } = wanted;
  const copy = cached?.blob && cached.copy;
  const answer = await askUpstream(table, { source, url, accept, content: 'metadata', copy, pause });
  if (answer.kind === 'content') return received(load, answer);
  if (answer.kind === 'unchanged' && cached) {
    await confirmCopy(table, key, cached, answer.copy);
    return kept(load, cached, 'revalidated');
  }
  if (source.isRemoteCacheEnabled) await rememberMissing(load, cached);
  return undefined;
};

const received = async <D>(load: Load<D>, { response, copy }: UpstreamContent): Promise<LoadedDocument<D>> => {
  const { source, wanted, cached } = load;
  const sent = await readMetadata(response);
  let content: Uint8Array, document: D;
  try {
    content = wanted.condense?.(sent) ?? sent;
    document = wanted.parse(content);
  } catch (cause) {
    throw new UpstreamError(
      'protocol',
      response.place,
      'sent no such document as this type of repository needs',
      cause,
    );
  }
  if (source.isRemoteCacheEnabled) await keepDocument(load, { content, document, copy, before: cached });
  return { document, cache: 'miss' };
};
