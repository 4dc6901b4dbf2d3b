import { chunksOf } from '../../shared/chunks.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { Table } from '../../shared/table/client.ts';
import { queryPages } from '../../shared/table/query-pages.ts';
import type { AdvisoryFeed } from '../../shared/table/repositories/advisory-items.ts';
import { advisoryIdShards, advisoryIdsList } from '../../shared/table/repositories/advisory-keys.ts';
import {
  type AdvisoryList,
  type ListedAdvisory,
  type NewList,
  newList,
} from '../../shared/table/repositories/advisory-lists.ts';
import { advisoriesOn, everyPage, everyPageKey } from '../../shared/table/repositories/advisory-pages.ts';
import type { AdvisedType } from './osv-entry.ts';

/** So many names are read together. */
const namesPerRead = 500;

const listed = ({ id, kind, severity, versions, ranges }: ListedAdvisory): ListedAdvisory => ({
  id,
  kind,
  severity,
  versions,
  ranges,
});

/** The names of all packages of a type with advisories, in order. */
const advisedNames = async (table: Table, { name: packageType }: AdvisedType): Promise<readonly string[]> => {
  const names = new Set<string>();
  for (let shard = 0; shard < advisoryIdShards; shard += 1)
    for await (const items of queryPages(table, advisoryIdsList(packageType, shard)))
      for (const { item } of items) for (const name of item.names) names.add(name);
  return [...names].toSorted();
};

/**
 * Lists all advisories of a type whose clients read all at once; undefined for another type. Throws a FormatProblem if they are too many for
 * a list.
 */
export const listAll = async (
  table: Table,
  type: AdvisedType,
  feed: AdvisoryFeed | undefined,
): Promise<NewList | undefined> => {
  if (!type.listsAdvisories) return undefined;
  const all: AdvisoryList[number][] = [];
  for (const names of chunksOf(await advisedNames(table, type), namesPerRead)) {
    const loaded = await table.readWanted((soFar) => names.flatMap((name) => everyPageKey(type.name, name, soFar)));
    for (const name of names) all.push([name, advisoriesOn(everyPage(type.name, name, loaded)).map(listed)]);
  }
  const list = newList(type.name, feed, all);
  if (list) return list;
  throw malformed(`The advisories on ${type.ecosystem} are too many for the list that its clients read.`);
};
