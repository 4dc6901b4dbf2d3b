import type { ReleaseTimes } from '../../table/packages/release-times.ts';
import type { Release } from '../releases/gate-of.ts';
import { additionTimes, isSeen, releaseTimesOf } from '../releases/release-times.ts';

/** What a document of an upstream says of the times of what it lists, for gates. Both are absent if it lists nothing that was published. */
export interface DatedDocument<D> {
  /** What the document lists. */
  releases?(document: D): Iterable<Release>;
  /** What a document lists that the copy before lacked: of one without times, that is too long to look at each release in it. */
  additions?(earlier: D, document: D): Iterable<Release>;
}

/** What to keep of the times in a document that arrives now. An earlier copy says what is new of releases without a time. */
export const documentTimes = async <D>(
  { releases, additions }: DatedDocument<D>,
  document: D,
  earlierCopy: () => Promise<D | undefined>,
  known: ReleaseTimes | undefined,
): Promise<ReleaseTimes | undefined> => {
  const now = Date.now();
  if (additions) {
    const earlier = await earlierCopy();
    return additionTimes(earlier ? additions(earlier, document) : [], known?.seen ?? {}, now);
  }
  if (!releases) return undefined;
  const listed = [...releases(document)];
  const earlier = listed.some(isSeen) ? await earlierCopy() : undefined;
  const ids = earlier && new Set(Array.from(releases(earlier), ({ id }) => id));
  const before = ids && { seen: {}, ...known, ids };
  return releaseTimesOf(listed, before, now);
};
