import { endpoint } from '../../shared/http/endpoint.ts';
import { originHeaders } from '../../shared/packages/origin-headers.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/package-address.ts';
import { getNpmSearch } from './contracts.ts';
import { findNames, hitsOf } from './found-packages.ts';
import { parseSearch, searchResult } from './search.ts';
import { searchUpstreams } from './upstream-search.ts';

export const handler = endpoint(
  getNpmSearch,
  async (call) => {
    const { table, query } = call;
    const sources = addressedSources(call, 'npm');
    const search = parseSearch(query);
    const [names, upstream] = await Promise.all([
      findNames(table, sources, search),
      searchUpstreams(table, sources, query.text ?? '', search),
    ]);
    const [refusal] = upstream.refusals.values();
    if (refusal && upstream.refusals.size === sources.all.length) throw refusal;
    const { from, size } = search;
    const hits = await hitsOf(table, names.slice(from, from + size));
    const local = new Set(names.map(({ name }) => name));
    const others = upstream.packages.filter(({ name }) => !local.has(name)).map(({ object }) => object);
    const result = searchResult(hits, {
      others: others.slice(Math.max(0, from - names.length), Math.max(0, from + size - names.length)),
      total: names.length + upstream.total,
      time: new Date().toISOString(),
    });
    const unreachable = Array.from(upstream.refusals.keys(), ({ name }) => name);
    const origins = sources.all.map(({ name }) => name).filter((name) => !unreachable.includes(name));
    const headers = originHeaders({ origins, unreachable });
    return { kind: 'bytes', mediaType: 'application/json', headers, content: JSON.stringify(result) };
  },
  { alsoRead: alsoReadSources },
);
