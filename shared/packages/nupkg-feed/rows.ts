import type { OrderedEntry } from '../nupkg/package-entries.ts';
import { fullText, isPrerelease, isSemVer2, normalText } from '../nupkg/versions.ts';
import { type KnownProperties, matches } from './matching.ts';
import type { FeedQuery } from './queries.ts';

/** A version in a feed. */
export interface FeedRow {
  readonly entry: OrderedEntry;
  /** Whether it is the highest one that is listed and no prerelease; or the highest of those that are listed. */
  readonly isLatest: boolean;
  readonly isAbsoluteLatest: boolean;
}

/** The tags as feeds have them: filters look for one with the blanks around it. */
export const tagsOf = ({ tags = [] }: OrderedEntry): string | null => (tags.length > 0 ? ` ${tags.join(' ')} ` : null);

const knownOf = ({ entry, isLatest, isAbsoluteLatest }: FeedRow): KnownProperties => ({
  Id: entry.id,
  Title: entry.title ?? null,
  Description: entry.description ?? null,
  Tags: tagsOf(entry),
  Version: fullText(entry.parsed),
  NormalizedVersion: normalText(entry.parsed),
  IsPrerelease: isPrerelease(entry.parsed),
  IsLatestVersion: isLatest,
  IsAbsoluteLatestVersion: isAbsoluteLatest,
});

/** The versions of a package, which come with the lowest one first, as far as a query asks for them and in its order. */
export const rowsOf = (
  entries: readonly OrderedEntry[],
  { filter, isDescending, hasSemVer2 }: Pick<FeedQuery, 'filter' | 'isDescending' | 'hasSemVer2'>,
): readonly FeedRow[] => {
  const shown = entries.filter(({ parsed }) => hasSemVer2 || !isSemVer2(parsed));
  const latest = shown.findLast(({ listed, parsed }) => listed && !isPrerelease(parsed));
  const absoluteLatest = shown.findLast(({ listed }) => listed);
  const rows = shown
    .map((entry) => ({ entry, isLatest: entry === latest, isAbsoluteLatest: entry === absoluteLatest }))
    .filter((row) => filter === undefined || matches(filter, knownOf(row)) === true);
  return isDescending ? rows.toReversed() : rows;
};
