import { crc32 } from 'node:zlib';
import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { byVersion, concerns } from '../../shared/packages/releases/advised-versions.ts';
import type { Table } from '../../shared/table/client.ts';
import { type Advisory, type AdvisoryEvent, urlOfAdvisory } from '../../shared/table/repositories/advisories.ts';
import { advisoriesOn, everyPage, everyPageKey } from '../../shared/table/repositories/advisory-pages.ts';
import { isPackageName } from './names.ts';
import { npm } from './type.ts';
import { order } from './versions.ts';

const comparators: Readonly<Record<AdvisoryEvent[0], string>> = {
  introduced: '>=',
  fixed: '<',
  limit: '<',
  last_affected: '<=',
};

/** The events of a range as ranges of npm: each introduction begins another one. */
const textOf = (events: readonly AdvisoryEvent[]): string =>
  events
    .toSorted(byVersion(order))
    .map(([kind, version]) => (kind === 'introduced' ? ' || ' : ' ') + comparators[kind] + version)
    .join('')
    .replaceAll(/>=0(?= |$)/g, '>=0.0.0-0')
    .replace(/^ (?:\|\| )?/, '');

/** What npm shows of an advisory, in the form of its registry. */
const shown = (advisory: Advisory): JsonObject => ({
  id: crc32(advisory.id),
  url: urlOfAdvisory(advisory),
  title: advisory.summary || advisory.id,
  severity: advisory.kind === 'malware' ? 'critical' : (advisory.severity ?? 'moderate'),
  vulnerable_versions: [...advisory.versions.map((version) => `=${version}`), ...advisory.ranges.map(textOf)].join(
    ' || ',
  ),
  cwe: [],
  cvss: { score: 0, vectorString: null },
});

const textsIn = (versions: unknown): readonly string[] =>
  Array.isArray(versions) ? versions.filter((version) => typeof version === 'string') : [];

/** Answers a question in bulk from what was imported: names with their versions. */
export const importedAudit = async (table: Table, question: JsonObject): Promise<JsonObject> => {
  const names = Object.keys(question).filter(isPackageName);
  const loaded = await table.readWanted((soFar) => names.flatMap((name) => everyPageKey(npm.name, name, soFar)));
  const entries = names.map((name) => {
    const versions = textsIn(question[name]);
    const pages = everyPage(npm.name, name, loaded);
    const found = advisoriesOn(pages).filter((each) => versions.some((version) => concerns(each, version, order)));
    return [name, found.map(shown)] as const;
  });
  return Object.fromEntries(entries.filter(([, found]) => found.length > 0));
};
