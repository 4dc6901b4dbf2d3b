import type { IndexGate } from '../../shared/packages/gate/gated-index.ts';
import { millisecondsOf, type Release, timeText } from '../../shared/packages/releases/gate-of.ts';
import type { HeldRelease } from '../../shared/packages/releases/open-gate.ts';
import { type ManifestForm, timeOf } from './index-entries.ts';
import type { PackageIndex } from './packument.ts';
import { latestOf, releasesBelow } from './versions.ts';

/** The versions of a packument with the times that the registry says. */
const releasesIn = ({ entries }: PackageIndex): readonly Release[] =>
  Array.from(entries, (entry) => ({
    id: entry.version,
    version: entry.version,
    publishedAt: millisecondsOf(timeOf(entry)),
  }));

/** The versions of a packument in a form. The abbreviated one has no times, but no version is newer than the last change of the package. */
export const releasesOf =
  (form: ManifestForm) =>
  (packument: PackageIndex): readonly Release[] => {
    const latest = form === 'abbreviated' ? millisecondsOf(packument.modified) : undefined;
    return releasesIn(packument).map(({ publishedAt = latest, ...release }) => ({ ...release, publishedAt }));
  };

/** The highest release below a version, which its tag moves to. */
const movedTag = (version: string, passing: readonly string[]): string | undefined =>
  latestOf(releasesBelow(version, passing));

/** A packument without some versions. A tag of one of them moves to the highest release below it that is left, or goes. */
const without = (index: PackageIndex, held: ReadonlySet<string>): PackageIndex => {
  const entries = [...index.entries].filter(({ version }) => !held.has(version));
  const versions = entries.map(({ version }) => version);
  const tags = Object.entries(index.tags).flatMap(([tag, version]) => {
    const target = held.has(version) ? movedTag(version, versions) : version;
    return target === undefined ? [] : [[tag, target] as const];
  });
  return { ...index, entries, tags: Object.fromEntries(tags) };
};

/** How a packument loses what a gate holds back. */
export const packumentGate: IndexGate<PackageIndex> = { releases: releasesIn, without };

const counted = (held: readonly HeldRelease[], name: string, rest: string): string =>
  held.length === 1 ? `1 version of ${name} is ${rest}.` : `${held.length} versions of ${name} are ${rest}.`;

const heldBack = (name: string, held: readonly HeldRelease[]): string => {
  const times = held.flatMap(({ held: { until } }) => until ?? []);
  const until = times.length === held.length ? ` until ${timeText(Math.max(...times))} at the latest` : '';
  return counted(held, name, `held back by the release gate of '${held[0]?.repository}'${until}`);
};

/** What npm prints about a packument that lacks versions. */
export const noticeOf = (name: string, lacking: readonly HeldRelease[]): Readonly<Record<string, string>> => {
  const each = [...new Map(lacking.map((one) => [one.release.id, one])).values()];
  const { held, blocked } = Object.groupBy(each, (one) => one.held.state);
  const sentences = [...(held ? [heldBack(name, held)] : []), ...(blocked ? [counted(blocked, name, 'blocked')] : [])];
  return sentences.length === 0 ? {} : { 'npm-notice': sentences.join(' ').replaceAll(/[^\x20-\x7e]/g, '?') };
};
