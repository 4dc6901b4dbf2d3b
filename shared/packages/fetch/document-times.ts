import type { CachedDocument } from '../../table/packages/cached-documents.ts';
import { cachedDocumentKey } from '../../table/packages/package-keys.ts';
import type { ReleaseTimes } from '../../table/packages/release-times.ts';
import type { Release } from '../releases/gate-of.ts';
import { additionTimes, isSeen, releaseTimesOf } from '../releases/release-times.ts';
import { type CacheEntry, readDocument } from './document-cache.ts';
import type { ParsedDocument } from './received-documents.ts';

/** What a document of an upstream says of the times of what it lists, for gates. Both are absent if it lists nothing that was published. */
export interface DatedDocument<D> {
  /** What the document lists. */
  releases?(document: D): Iterable<Release>;
  /** Another document of the package, in the same form, that lists the same: until there is a copy of this one, that one says what was seen before. */
  readonly alsoListedIn?: string;
  /** What a document lists that the copy before lacked: of one without times, that is too long to look at each release in it. */
  additions?(earlier: D, document: D): Iterable<Release>;
}

/** A copy from before the document that arrives, and what is kept of its times. */
interface CopyBefore<D> {
  readonly document: D;
  readonly times: ReleaseTimes | undefined;
}

/** The copy of a document, or else that of another one that lists the same; undefined if there is neither. */
export const copyBefore = async <D>(
  { table, ref, key }: Pick<CacheEntry, 'table' | 'ref' | 'key'>,
  { alsoListedIn, parse }: Pick<DatedDocument<D>, 'alsoListedIn'> & Pick<ParsedDocument<D>, 'parse'>,
  cached: CachedDocument | undefined,
): Promise<CopyBefore<D> | undefined> => {
  const otherKey = alsoListedIn === undefined || cached?.blob ? key : cachedDocumentKey(ref, alsoListedIn);
  const copy = otherKey === key ? cached : (await table.read([otherKey])).find(otherKey);
  const document = copy?.blob && (await readDocument({ table, key: otherKey }, copy.blob, parse));
  return document === undefined ? undefined : { document, times: copy?.releases };
};

/** What to keep of the times in a document that arrives now. An earlier copy says what is new of releases without a time. */
export const documentTimes = async <D>(
  { releases, additions }: DatedDocument<D>,
  document: D,
  findBefore: () => Promise<CopyBefore<D> | undefined>,
  known: ReleaseTimes | undefined,
): Promise<ReleaseTimes | undefined> => {
  const now = Date.now();
  if (additions) {
    const before = await findBefore();
    return additionTimes(before ? additions(before.document, document) : [], known?.seen ?? {}, now);
  }
  if (!releases) return undefined;
  const listed = [...releases(document)];
  const before = listed.some(isSeen) ? await findBefore() : undefined;
  const ids = before && new Set(Array.from(releases(before.document), ({ id }) => id));
  return releaseTimesOf(listed, ids && { seen: {}, ...before.times, ids }, now);
};
