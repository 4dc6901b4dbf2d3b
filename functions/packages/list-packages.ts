import { invalid } from '../../shared/errors.ts';
import { sealCursor, unsealCursor } from '../../shared/http/cursors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { type Sources, sourcesOf } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { packageHeadKey } from '../../shared/table/packages/package-keys.ts';
import { readUsage, sumOf } from '../../shared/table/packages/usage.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { definitionOf } from '../package-definitions.ts';
import { listPackages } from './contracts.ts';
import { holdersOf } from './holders.ts';
import { type ListedName, listNames } from './listing.ts';
import { listedPackage } from './records.ts';

const limitWhenAbsent = 100;

/** The maximum number of names that a search counts. */
const countedMax = 1_000;

/**
 * The start of a page. `after` is the position of a cursor. `offset` is the number of packages before the page, and `skipped`
 * the number of packages to read and leave out.
 */
interface Start {
  readonly after: string | undefined;
  readonly offset: number;
  readonly skipped: number;
}

/**
 * A cursor contains the number of packages before the page, how many are still to be left out where a page ended before it had left
 * out all, and the position where the page begins.
 */
const startOf = (
  { offset = 0, cursor }: { readonly offset?: number | undefined; readonly cursor?: string | undefined },
  unseal: (cursor: string) => string,
): Start => {
  if (cursor === undefined) return { after: undefined, offset, skipped: offset };
  if (offset > 0) {
    const message = 'Send the query parameter offset or the query parameter cursor, not both.';
    throw invalid([{ pointer: '', rule: 'cursor', message }]);
  }
  const [, before, skipped = 0, after] = /^(\d+)(?:\+(\d+))? (.*)$/s.exec(unseal(cursor)) ?? [];
  return { after, offset: Number(before), skipped: Number(skipped) };
};

const countOf = async (table: Table, sources: Sources, search: string | undefined): Promise<number> => {
  if (search !== undefined)
    return (await listNames(table, sources, search, { after: undefined, limit: countedMax })).entries.length;
  return sumOf(await Promise.all(sources.all.map((source) => readUsage(table, contentIdOf(source))))).packages;
};

const recordsOf = async (table: Table, names: readonly ListedName[]) => {
  const heldBy = ({ name, sources }: ListedName) =>
    sources.map((source) => ({ source, ref: { contentId: contentIdOf(source), name } }));
  const heads = await table.read(names.flatMap((each) => heldBy(each).map(({ ref }) => packageHeadKey(ref))));
  const found = names.flatMap(heldBy).flatMap(({ source, ref }) => {
    const head = heads.find(packageHeadKey(ref));
    const isShown = head && head.versionCount > 0 && readable(source, { kind: 'package', name: ref.name }, head);
    return isShown ? [{ source, ref, head }] : [];
  });
  const byName = Map.groupBy(await holdersOf(table, found), ({ ref }) => ref.name);
  return Array.from(byName.values()).flatMap(([first, ...others]) =>
    first ? [listedPackage([first, ...others])] : [],
  );
};

export const handler = endpoint(
  listPackages,
  async ({ query, caller, repository, loaded, table }) => {
    const { limit = limitWhenAbsent } = query;
    const search = query.search && definitionOf(repository.packageType).spelling.normalize(query.search);
    const sources = sourcesOf(repository, loaded);
    const scope = [listPackages.id, repository.repositoryId, contentIdOf(repository), search];
    const { after, offset, skipped } = startOf(query, (cursor) => unsealCursor(cursor, caller, scope));
    const [{ entries, next }, total] = await Promise.all([
      listNames(table, sources, search, { after, limit: skipped + limit }),
      countOf(table, sources, search),
    ]);
    const page = entries.slice(skipped).map(({ item }) => item);
    const unskipped = Math.max(0, skipped - entries.length);
    const before = `${offset + page.length}${unskipped > 0 ? `+${unskipped}` : ''}`;
    return {
      total,
      offset,
      limit,
      packages: await recordsOf(table, page),
      nextCursor: next === undefined ? null : sealCursor(`${before} ${next}`, caller, scope),
    };
  },
  { alsoRead: alsoReadSources },
);
