import type { Caller } from '../../shared/http/caller.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { publisherFor } from '../../shared/packages/changes/publisher.ts';
import { type StoredIndexes, searchSources } from '../../shared/packages/serve/search.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import type { Table } from '../../shared/table/client.ts';
import { versionKey } from '../../shared/table/packages/package-keys.ts';
import { getNpmSearch } from './contracts.ts';
import { manifestOf, timeOf } from './index-entries.ts';
import { isFound, parseSearch, prefixOf, type SearchHit, searchResult } from './search.ts';
import { npm } from './type.ts';
import { upstreamSearch } from './upstream-search.ts';
import { latestOf } from './versions.ts';

export const handler = endpoint(
  getNpmSearch,
  async (call) => {
    const { table, query } = call;
    const search = parseSearch(query);
    const { hits, others, total, headers } = await searchSources(table, addressedSources(call, npm), {
      ...search,
      ...upstreamSearch(query.text ?? '', search),
      prefix: prefixOf(search),
      isFound: (name) => isFound(search, name),
      hitOf: async (indexes) => hitOf(call, indexes),
    });
    const result = searchResult(hits, { others, total, time: new Date().toISOString() });
    return { kind: 'bytes', mediaType: 'application/json', headers, content: JSON.stringify(result) };
  },
  { alsoRead: alsoReadSources },
);

const hitOf = async (
  { table, caller }: { readonly table: Table; readonly caller: Caller },
  // As in a packument, `latest` is that of the first source.
  [{ ref, tags, entries }]: StoredIndexes,
): Promise<SearchHit | undefined> => {
  const latest = tags.latest ?? latestOf(entries.keys());
  const entry = latest === undefined ? undefined : entries.get(latest);
  if (!entry) return undefined;
  const { version } = entry;
  const key = versionKey(ref, version);
  const origin = (await table.read([key])).find(key)?.origin;
  const publisher = (origin?.kind === 'published' && publisherFor(caller, origin.by).username) || '';
  return { manifest: { ...manifestOf(entry), name: ref.name, version }, time: timeOf(entry) ?? '', publisher };
};
