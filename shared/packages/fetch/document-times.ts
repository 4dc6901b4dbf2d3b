import type { ReleaseTimes } from '../../table/packages/release-times.ts';
import type { Release } from '../releases/gate-of.ts';
import { additionTimes, releaseTimesOf } from '../releases/release-times.ts';

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
  seen: ReleaseTimes['seen'] = {},
): Promise<ReleaseTimes | undefined> => {
  const now = Date.now();
  if (additions) {
    const earlier = await earlierCopy();
    return additionTimes(earlier ? additions(earlier, document) : [], seen, now);
  }
  if (!releases) return undefined;
  const listed = [...releases(document)];
  const isTimed = listed.every(({ publishedAt }) => publishedAt !== undefined);
  const earlier = isTimed ? undefined : await earlierCopy();
  const before = earlier && { ids: new Set(Array.from(releases(earlier), ({ id }) => id)), seen };
  return releaseTimesOf(listed, before, now);
};
