import { endpoint } from '../../shared/http/endpoint.ts';
import { searchSources } from '../../shared/packages/serve/search.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { repositoryUrl } from './addresses.ts';
import { getComposerSearch } from './contracts.ts';
import { hitOf, isFound, parseSearch, upstreamSearch } from './search.ts';
import { composer } from './type.ts';

export const handler = endpoint(
  getComposerSearch,
  async (call) => {
    const search = parseSearch(call.query);
    const { text, type, page, size } = search;
    const { hits, others, total, headers } = await searchSources(call.table, addressedSources(call, composer), {
      ...upstreamSearch(search),
      from: (page - 1) * size,
      size,
      isFound: (name) => isFound(search, name),
      hitOf: async (indexes) => hitOf(search, indexes),
    });
    const next = new URLSearchParams({ q: text, type, page: `${page + 1}`, per_page: `${size}` });
    const content = JSON.stringify({
      results: [...hits, ...others],
      total,
      ...(page * size < total && { next: `${repositoryUrl(call)}/search.json?${next.toString()}` }),
    });
    return { kind: 'bytes', mediaType: 'application/json', headers, content };
  },
  { alsoRead: alsoReadSources },
);
