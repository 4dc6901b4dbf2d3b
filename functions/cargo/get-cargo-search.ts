import { endpoint } from '../../shared/http/endpoint.ts';
import { searchSources } from '../../shared/packages/serve/search.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { crateSources } from './addresses.ts';
import { getCargoSearch } from './contracts.ts';
import { hitOf, isFound, parseSearch, upstreamSearch } from './search.ts';

export const handler = endpoint(
  getCargoSearch,
  async (call) => {
    const { table, query } = call;
    const search = parseSearch(query);
    const { hits, others, total, headers } = await searchSources(table, crateSources(call), {
      ...upstreamSearch(query.q ?? '', search),
      from: 0,
      size: search.size,
      isFound: (name) => isFound(search, name),
      hitOf: async (indexes) => hitOf(indexes),
    });
    const content = JSON.stringify({ crates: [...hits, ...others], meta: { total } });
    return { kind: 'bytes', mediaType: 'application/json', headers, content };
  },
  { alsoRead: alsoReadSources },
);
