import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { millisecondsOf, type Release } from '../../shared/packages/releases/gate-of.ts';
import type { NamedEntry, RepositoryIndex } from '../../shared/packages/serve/repository-index.ts';

/** What the index of a repository calls a version of a chart. */
export const releaseId = ({ name, version }: Pick<NamedEntry, 'name' | 'version'>): string => `${name} ${version}`;

/** An entry may have any keys: this reads one of them. */
const createdIn = ([text = '{}']: readonly string[]): unknown => (JSON.parse(text) as JsonObject).created;

/** The versions of the charts of an index. Some tools write the time of the index instead of that of the chart. */
export const releasesOf = ({ entries }: RepositoryIndex): readonly Release[] =>
  entries.map((entry) => ({
    id: releaseId(entry),
    name: entry.name,
    version: entry.version,
    publishedAt: millisecondsOf(createdIn(entry.parts)),
  }));
