import { readable } from '../../shared/packages/serve/readable.ts';
import { sourcesByRules } from '../../shared/packages/sources/resolution.ts';
import type { Source, Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { List } from '../../shared/table/lists.ts';
import { queryShown } from '../../shared/table/merged-lists.ts';
import { packageNameAt, packagesList } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';

/** A page looks at so many entries, those of deleted packages and versions included. */
export const pageReach = 5_000;

/** A package in the list, and the sources that show it. */
export interface ListedName {
  readonly name: string;
  readonly sources: readonly Source[];
}

/** A page of the packages of several sources. `search` is the beginning of their names. */
export const listNames = async (
  table: Table,
  sources: Sources,
  search: string | undefined,
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<List<ListedName>> =>
  queryShown(
    table,
    sources.all.map((source) => packagesList(contentIdOf(source), search)),
    { ...page, reach: pageReach },
    ({ position, items }) => {
      const name = packageNameAt(position, search);
      const entryOf = (source: Source) => items[sources.all.indexOf(source)];
      const holdsName = (source: Source): boolean => {
        const entry = entryOf(source);
        return entry !== undefined && !entry.isUnpublished;
      };
      const shown = sourcesByRules(sources, name, holdsName).filter((source) => {
        const entry = entryOf(source);
        return (
          entry !== undefined && !entry.isEmpty && readable(source, { kind: 'package', name }, entry) !== undefined
        );
      });
      return shown.length > 0 ? { name, sources: shown } : undefined;
    },
  );
