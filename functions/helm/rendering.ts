import type { OrderedVersion } from '../../shared/packages/formats/semver-order.ts';
import type { NamedEntry, RepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import { compareVersions, parseVersion } from './versions.ts';

/** The text of an entry, ready for the index. */
const textOf = ({ parts: [text = '{}'] }: NamedEntry): string => text;

interface Sortable {
  readonly entry: NamedEntry;
  readonly parsed: OrderedVersion | undefined;
}

/** The newest version first. Versions that only differ in their build metadata are ordered by their texts. */
const newestFirst = (one: Sortable, other: Sortable): number => {
  const order = one.parsed && other.parsed ? compareVersions(other.parsed, one.parsed) : 0;
  return order === 0 ? (one.entry.version < other.entry.version ? 1 : -1) : order;
};

/** The versions of one chart as a JSON array, from unparsed texts. */
const renderVersions = (entries: readonly NamedEntry[]): string => {
  const sortable = entries.map((entry) => ({ entry, parsed: parseVersion(entry.version) }));
  return `[${sortable
    .toSorted(newestFirst)
    .map(({ entry }) => textOf(entry))
    .join()}]`;
};

/**
 * All charts as JSON, in the order of their names. Each chart becomes bytes separately: a single text would take two bytes for
 * each character as soon as one description contains a character beyond Latin-1.
 */
const renderCharts = ({ entries }: RepositoryIndex): Buffer[] =>
  Array.from(Map.groupBy(entries, ({ name }) => name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, versions], at) =>
      Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(name)}:${renderVersions(versions)}`),
    );

/**
 * The index. JSON is YAML, and helm parses it ten times faster. `contextPath` is the path of the repository: `helm cm-push` puts
 * `/api/charts` behind it.
 */
export const renderIndex = (index: RepositoryIndex, contextPath: string): Buffer => {
  const generated = index.updatedAt ?? new Date(0).toISOString();
  const head = JSON.stringify({ apiVersion: 'v1', generated, serverInfo: { contextPath } });
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"entries":{`), ...renderCharts(index), Buffer.from('}}\n')]);
};
