import { endpoint } from '../../shared/http/endpoint.ts';
import { searchNames } from '../../shared/packages/serve/search.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { getComposerList } from './contracts.ts';
import { parseFilter, passes, upstreamList } from './search.ts';
import { composer } from './type.ts';

export const handler = endpoint(
  getComposerList,
  async (call) => {
    const filter = parseFilter(call.query);
    const [prefix = ''] = filter.split('*');
    const { names, headers } = await searchNames(call.table, addressedSources(call, composer), {
      ...upstreamList(filter),
      prefix,
      isFound: (name) => passes(filter, name),
    });
    return { kind: 'bytes', mediaType: 'application/json', headers, content: JSON.stringify({ packageNames: names }) };
  },
  { alsoRead: alsoReadSources },
);
