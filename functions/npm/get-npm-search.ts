import { endpoint } from '../../shared/http/endpoint.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/package-address.ts';
import { getNpmSearch } from './contracts.ts';
import { findNames, hitsOf } from './found-packages.ts';
import { parseSearch, searchResult } from './search.ts';

export const handler = endpoint(
  getNpmSearch,
  async (call) => {
    const { table, query } = call;
    const search = parseSearch(query);
    const found = await findNames(table, addressedSources(call, 'npm'), search);
    const hits = await hitsOf(table, found.slice(search.from, search.from + search.size));
    const result = searchResult(hits, { total: found.length, time: new Date().toISOString() });
    return { kind: 'bytes', mediaType: 'application/json', content: JSON.stringify(result) };
  },
  { alsoRead: alsoReadSources },
);
