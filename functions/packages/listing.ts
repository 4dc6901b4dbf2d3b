import { readable } from '../../shared/packages/serve/readable.ts';
import { sourcesByRules } from '../../shared/packages/sources/resolution.ts';
import type { Source, Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { queryMerged } from '../../shared/table/merged-lists.ts';
import { packageNameAt, packagesList } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';

/** The maximum number of entries in one query. */
const entriesPerQuery = 1_000;

/** A package in the list, and the sources that show it. */
export interface ListedName {
  readonly position: string;
  readonly name: string;
  readonly sources: readonly Source[];
}

/** Up to `wanted` packages of several sources after a position. `search` is the beginning of their names. */
export const listNames = async (
  table: Table,
  sources: Sources,
  search: string | undefined,
  { after, wanted }: { readonly after: string | undefined; readonly wanted: number },
): Promise<readonly ListedName[]> => {
  const lists = sources.all.map((source) => packagesList(contentIdOf(source), search));
  const names: ListedName[] = [];
  let from = after;
  do {
    const limit = Math.min(entriesPerQuery, wanted - names.length);
    const { entries, next } = await queryMerged(table, lists, { after: from, limit });
    for (const { position, items } of entries) {
      const name = packageNameAt(position, search);
      const entryOf = (source: Source) => items[sources.all.indexOf(source)];
      const shown = sourcesByRules(sources, name, (source) => entryOf(source) !== undefined).filter((source) => {
        const entry = entryOf(source);
        return (
          entry !== undefined && !entry.isEmpty && readable(source, { kind: 'package', name }, entry) !== undefined
        );
      });
      if (shown.length > 0) names.push({ position, name, sources: shown });
    }
    from = next;
  } while (from !== undefined && names.length < wanted);
  return names.slice(0, wanted);
};
