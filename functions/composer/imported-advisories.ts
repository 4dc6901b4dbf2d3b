import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { concerns } from '../../shared/packages/releases/advised-versions.ts';
import { type AffectedInterval, affectedIntervals } from '../../shared/packages/releases/affected-intervals.ts';
import type { Table } from '../../shared/table/client.ts';
import { type Advisory, urlOfAdvisory } from '../../shared/table/repositories/advisories.ts';
import { advisoriesOn, everyPage, everyPageKey } from '../../shared/table/repositories/advisory-pages.ts';
import { composer } from './type.ts';
import { nameableVersion, order, versionOf } from './versions.ts';

/** A bound as it compares with all versions: Composer takes 1.2.0 after `<` and `>=` for its first prerelease, and 1.2.0-stable for itself. */
const boundOf = (version: string): string => {
  const text = versionOf(nameableVersion(version) ?? version);
  return /^[\d.]+$/.test(text) ? `${text}-stable` : text;
};

const intervalText = ({ from, to }: AffectedInterval): string =>
  [
    ...(from === undefined ? [] : [`>=${boundOf(from)}`]),
    ...(to === undefined ? [] : [`${to.isAffected ? '<=' : '<'}${boundOf(to.version)}`]),
  ].join() || '*';

/** Composer has no order of branches: none is in a range, and a range with one as its bound says nothing. */
const isBranch = (version: string): boolean => nameableVersion(version)?.startsWith('dev-') !== false;

/** The affected versions as a constraint of Composer: the ranges, and what is listed beside them. Empty if it can name none. */
const constraintOf = (advisory: Advisory): string => {
  const { versions, ranges } = advisory;
  const known = ranges.filter((events) => events.every(([, bound]) => bound === '0' || !isBranch(bound)));
  const ofRanges = { ...advisory, versions: [], ranges: known };
  const listed = versions.filter((version) => isBranch(version) || !concerns(ofRanges, version, order));
  const texts = [
    ...known.flatMap((events) => affectedIntervals(events, order).map(intervalText)),
    ...listed.flatMap((version) => nameableVersion(version) ?? []).map((normal) => `=${versionOf(normal)}`),
  ];
  return [...new Set(texts)].join('|');
};

const severityOf = ({ kind, severity }: Advisory): string | null => {
  if (kind === 'malware') return 'critical';
  return severity === 'moderate' ? 'medium' : severity;
};

/** What Composer shows of an advisory, in the form of Packagist. */
const shown = (packageName: string, advisory: Advisory): JsonObject => ({
  advisoryId: advisory.id,
  packageName,
  affectedVersions: constraintOf(advisory),
  title: advisory.summary || advisory.id,
  link: urlOfAdvisory(advisory),
  cve: advisory.id.startsWith('CVE-') ? advisory.id : null,
  reportedAt: advisory.modified,
  sources: [{ name: 'OSV', remoteId: advisory.id }],
  severity: severityOf(advisory),
});

/** The advisories on these names that were imported, each name with what is known about it. */
export const importedAdvisories = async (table: Table, names: readonly string[]): Promise<JsonObject> => {
  const loaded = await table.readWanted((soFar) => names.flatMap((name) => everyPageKey(composer.name, name, soFar)));
  const entries = names.map((name) => {
    const found = advisoriesOn(everyPage(composer.name, name, loaded)).map((each) => shown(name, each));
    return [name, found.filter(({ affectedVersions }) => affectedVersions !== '')] as const;
  });
  return Object.fromEntries(entries.filter(([, found]) => found.length > 0));
};
