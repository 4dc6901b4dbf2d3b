import type { CachedDocument } from '../../table/packages/cached-documents.ts';
import type { ReleaseTimes } from '../../table/packages/release-times.ts';
import type { Release } from '../releases/gate-of.ts';
import { additionTimes, isSeen, releaseTimesOf } from '../releases/release-times.ts';
import { type CacheEntry, readDocument } from './document-cache.ts';
import type { ParsedDocument } from './received-documents.ts';

/** What a document of an upstream says of the times of what it lists, for gates. All are absent if it lists nothing that was published. */
export interface DatedDocument<D> {
  /** What the document lists. */
  releases?(document: D): Iterable<Release>;
  /** The copy of another document that lists the same: until there is one of this document, it says what was seen before. */
  otherCopy?(entry: CacheEntry): Promise<CopyBefore<D> | undefined>;
  /** What a document lists that the copy before lacked: of one without times, that is too long to look at each release in it. */
  additions?(earlier: D, document: D): Iterable<Release>;
}

/** A copy from before the document that arrives, and what is kept of its times. */
export interface CopyBefore<D> {
  readonly document: D;
  readonly times: ReleaseTimes | undefined;
}

/** A kept copy of a document; undefined if the store has lost it. */
export const keptCopy = async <D>(
  entry: Pick<CacheEntry, 'table' | 'key'>,
  { blob, releases }: CachedDocument,
  parse: (kept: Uint8Array) => D,
): Promise<CopyBefore<D> | undefined> => {
  const document = blob && (await readDocument(entry, blob, parse));
  return document === undefined ? undefined : { document, times: releases };
};

/** What to keep of the times in a document that arrives now. An earlier copy says since when there are releases without a time. */
export const documentTimes = async <D>(
  entry: CacheEntry,
  { releases, additions, otherCopy, parse }: DatedDocument<D> & Pick<ParsedDocument<D>, 'parse'>,
  document: D,
  cached: CachedDocument | undefined,
): Promise<ReleaseTimes | undefined> => {
  const now = Date.now();
  const findBefore = async (): Promise<CopyBefore<D> | undefined> => {
    const copy = cached?.blob ? await keptCopy(entry, cached, parse) : await otherCopy?.(entry);
    const times = cached?.releases;
    // After an absence, only its times say what is new.
    const seen = { ...copy?.times?.seen, ...times?.seen };
    return times ? { document, ...copy, times: { ...copy?.times, ...times, seen } } : copy;
  };
  if (additions) {
    const before = await findBefore();
    return additionTimes(before ? additions(before.document, document) : [], cached?.releases?.seen ?? {}, now);
  }
  if (!releases) return undefined;
  const listed = [...releases(document)];
  const before = listed.some(isSeen) ? await findBefore() : undefined;
  const earlier = before && { ...before.times, all: releases(before.document) };
  return releaseTimesOf(listed, earlier, now);
};

/** What to keep of the times of a document that the upstream no longer has: it may come again without them. */
export const timesOfMissing = async <D>(
  entry: CacheEntry,
  { releases, parse }: DatedDocument<D> & Pick<ParsedDocument<D>, 'parse'>,
  cached: CachedDocument | undefined,
): Promise<ReleaseTimes | undefined> => {
  const before = releases && cached && (await keptCopy(entry, cached, parse));
  if (!before) return cached?.releases;
  const all = [...releases(before.document)];
  const untimed = all.map(({ id, version }) => ({ id, version }));
  return releaseTimesOf(untimed, { all, ...before.times }, Date.now());
};
