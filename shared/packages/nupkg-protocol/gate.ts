import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { joinedState } from '../fetch/joined-documents.ts';
import type { LoadedDocument } from '../fetch/remote-documents.ts';
import type { IndexGate } from '../gate/gated-index.ts';
import { nameOfId } from '../nupkg/ids.ts';
import type { NupkgEntry } from '../nupkg/package-entries.ts';
import { normalVersion } from '../nupkg/versions.ts';
import { millisecondsOf, type Release } from '../releases/gate-of.ts';
import { gateFor, heldBy, isEnforced } from '../releases/open-gate.ts';
import { joinTimes } from '../releases/release-times.ts';

/** What is known of a version: its name, and its times where an upstream says them. */
export type VersionTimes = Pick<NupkgEntry, 'version' | 'published' | 'created'>;

/** What an index calls a version, however it spells it. */
const idOf = (version: string): string => normalVersion(version) ?? version;

/** Versions that are not listed say a year in which nobody published, and sometimes when they were made. */
const publishedAt = ({ published, created }: VersionTimes): number | undefined =>
  millisecondsOf(published) ?? millisecondsOf(created);

/** The versions of a package. */
export const releasesOf = (entries: readonly VersionTimes[]): readonly Release[] =>
  entries.map((entry) => {
    const id = idOf(entry.version);
    return { id, version: id, publishedAt: publishedAt(entry) };
  });

const without = <E extends VersionTimes>(entries: readonly E[], held: ReadonlySet<string>): readonly E[] =>
  entries.filter(({ version }) => !held.has(idOf(version)));

/** How what is known of a package loses what a gate holds back. */
export const entriesGate: IndexGate<readonly NupkgEntry[]> = { releases: releasesOf, without };

/** How the list of the versions of a package loses what a gate holds back. */
export const versionsGate: IndexGate<readonly VersionTimes[]> = { releases: releasesOf, without };

/** Pages of a package that also know when the list of its versions was first seen with each: the borders of pages move. */
export const withListTimes = (
  pages: LoadedDocument<readonly NupkgEntry[]>,
  list: LoadedDocument<unknown> | undefined,
): LoadedDocument<readonly NupkgEntry[]> => ({
  ...pages,
  times: list ? joinTimes([pages.times, list.times]) : pages.times,
});

/** The list of the versions of a package with the times that are known of them. */
export const withTimesOf = (
  list: LoadedDocument<readonly VersionTimes[]>,
  entries: LoadedDocument<readonly VersionTimes[]>,
): LoadedDocument<readonly VersionTimes[]> => ({
  ...list,
  cache: joinedState([list.cache, entries.cache]) ?? list.cache,
  times: joinTimes([list.times, entries.times]),
  read: async () => {
    const known = new Map((await entries.read()).map((entry) => [idOf(entry.version), entry]));
    return (await list.read()).map(({ version }) => ({ ...known.get(idOf(version)), version }));
  },
});

/** The versions of a package in the answer of an upstream to a search, without those that a verdict blocks, or whose time its gate holds back. */
export const shownBy = (source: RemoteRepository, entries: readonly NupkgEntry[]): readonly NupkgEntry[] => {
  const name = nameOfId(entries[0]?.id ?? '');
  const open = gateFor(source, name);
  if (!open) return entries;
  const isHidden = (release: Release): boolean => {
    const held = heldBy(release.publishedAt === undefined ? { ...open, gate: undefined } : open, name, release);
    return held !== undefined && isEnforced(open, held.held);
  };
  const hidden = releasesOf(entries).filter(isHidden);
  return without(entries, new Set(hidden.map(({ id }) => id)));
};
