import clean from 'semver/functions/clean.js';
import parse from 'semver/functions/parse.js';
import type { VersionOrder } from '../../shared/table/repositories/advisories.ts';

/** The version in the spelling of npm, without `v` and without build metadata; undefined if the text is not a version. */
export const normalVersion = (text: string): string | undefined => clean(text) ?? undefined;

/** Whether a version is a prerelease. */
export const isPrerelease = (version: string): boolean => (parse(version, true)?.prerelease.length ?? 0) > 0;

/** The releases below a version; none for a text that is not a version. */
export const releasesBelow = (version: string, versions: readonly string[]): readonly string[] => {
  const highest = parse(version, true);
  if (!highest) return [];
  return versions.filter((each) => {
    const semver = parse(each, true);
    return semver !== null && semver.prerelease.length === 0 && semver.compare(highest) < 0;
  });
};

/** The version of `latest` without such a tag: the highest release, or else the highest prerelease. */
export const latestOf = (versions: Iterable<string>): string | undefined => {
  let latest: { text: string; isRelease: boolean; semver: NonNullable<ReturnType<typeof parse>> } | undefined;
  for (const text of versions) {
    const semver = parse(text, true);
    if (!semver) continue;
    const isRelease = semver.prerelease.length === 0;
    const isHigher = !latest || (isRelease === latest.isRelease ? semver.compare(latest.semver) > 0 : isRelease);
    if (isHigher) latest = { text, isRelease, semver };
  }
  return latest?.text;
};

/** The order of versions for advisories; undefined if a text is no version. */
export const order: VersionOrder = (one, other) => {
  const [first, second] = [parse(one, true), parse(other, true)];
  return first && second ? first.compare(second) : undefined;
};
