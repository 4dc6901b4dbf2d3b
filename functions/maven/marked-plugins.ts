import { chunksOf } from '../../shared/chunks.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import type { Source } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { markedList, packageHeadKey, packageNameAt } from '../../shared/table/packages/package-keys.ts';
import { isPresent, type PackageHead, tagsOf } from '../../shared/table/packages/packages.ts';
import { queryAll } from '../../shared/table/query-pages.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { idsOf, packageName } from './paths.ts';
import { compareVersions } from './versions.ts';

/** Plugins that were published before their group had an index: a mark finds them, and tags of their heads keep their prefixes. */
const pluginMark = 'plugin';
const tagPrefixes = ['goal-prefix:', 'plugin-prefix:'];

/** The maximum number of them in one repository whose heads are read: the first ones by name. */
const markedMax = 5_000;

/** The prefix of a plugin, taken from its newest version that has one; undefined if the package is no plugin. */
const prefixOf = (head: PackageHead): string | undefined => {
  const tags = Object.entries(tagsOf(head));
  for (const kind of tagPrefixes) {
    const [newest] = tags
      .filter(([tag]) => tag.startsWith(kind))
      .toSorted(([, one], [, other]) => compareVersions(other, one));
    if (newest) return newest[0].slice(kind.length);
  }
  return undefined;
};

const markedIn = async (table: Table, source: Source, group: string): Promise<readonly string[]> => {
  const prefix = packageName(group, '');
  const items = await queryAll(table, markedList(contentIdOf(source), pluginMark, prefix), markedMax);
  const names = items.map(({ position }) => packageNameAt(position, prefix));
  return names.filter((name) => readable(source, { kind: 'package', name }, name));
};

const prefixesIn = async (table: Table, source: Source, names: readonly string[]) => {
  const prefixes = new Map<string, string>();
  for (const some of chunksOf(names, 100)) {
    const keys = some.map((name) => packageHeadKey({ contentId: contentIdOf(source), name }));
    const loaded = await table.read(keys);
    for (const [at, key] of keys.entries()) {
      const head = loaded.find(key);
      const prefix = head && isPresent(head) ? prefixOf(head) : undefined;
      if (prefix !== undefined) prefixes.set(idsOf(some[at] ?? '').artifactId, prefix);
    }
  }
  return prefixes;
};

/** The prefixes of these plugins of a group in local sources, by artifact. */
export const markedPlugins = async (
  table: Table,
  sources: readonly Source[],
  group: string,
): Promise<ReadonlyMap<Source, ReadonlyMap<string, string>>> =>
  new Map(
    await Promise.all(
      sources.map(async (source) => {
        const names = await markedIn(table, source, group);
        return [source, await prefixesIn(table, source, names)] as const;
      }),
    ),
  );
