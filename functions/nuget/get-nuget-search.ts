import { endpoint } from '../../shared/http/endpoint.ts';
import { urlsOf } from '../../shared/packages/nupkg-protocol/addresses.ts';
import { parseSearch, resultOf, searchPackages } from '../../shared/packages/nupkg-protocol/search.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { getNugetSearch } from './contracts.ts';
import { nuget } from './type.ts';

export const handler = endpoint(
  getNugetSearch,
  async (call) => {
    const { table, query } = call;
    const { hits, total, headers } = await searchPackages(table, addressedSources(call, nuget), parseSearch(query));
    const urls = urlsOf(nuget, call);
    const content = JSON.stringify({ totalHits: total, data: hits.map((hit) => resultOf(hit, urls)) });
    return { kind: 'bytes', mediaType: 'application/json', headers, content };
  },
  { alsoRead: alsoReadSources },
);
