import type { BytesResult } from '../../http/payloads.ts';
import { isPackageId, nameOfId } from '../nupkg/ids.ts';
import { mergeEntries } from '../nupkg/package-entries.ts';
import { fullText } from '../nupkg/versions.ts';
import type { IndexCall } from '../serve/package-indexes.ts';
import type { Sources } from '../sources/sources.ts';
import { findEntries, ifAny } from './reading.ts';
import { searchPackages, shownEntries } from './search.ts';
import { parseSearch, type SearchParameters } from './search-query.ts';

/** The parts of a request that completing needs. */
interface CompletionCall extends Omit<IndexCall, 'query'> {
  readonly query: SearchParameters & { readonly id?: string | undefined };
}

const answer = (document: object, headers: Readonly<Record<string, string>>): BytesResult => ({
  kind: 'bytes',
  mediaType: 'application/json',
  headers,
  content: JSON.stringify(document),
});

/** Completes the ID of a package; with `id`, lists the versions of one. Throws as `searchPackages` and as `findIndexes`. */
export const completePackages = async (call: CompletionCall, sources: Sources): Promise<BytesResult> => {
  const { table, loaded, query } = call;
  const search = parseSearch(query);
  if (query.id !== undefined) {
    if (!isPackageId(query.id)) return answer({ data: [] }, {});
    const { versions, headers } = await findShownVersions({ table, loaded }, sources, nameOfId(query.id), search);
    return answer({ data: versions }, headers);
  }
  const { hits, total, headers } = await searchPackages(table, sources, search);
  return answer({ totalHits: total, data: hits.flatMap(([entry]) => entry?.id ?? []) }, headers);
};

/** The versions that a search shows, the lowest first; none if there is no such package. Throws as `findIndexes`. */
export const findShownVersions = async (
  call: IndexCall,
  sources: Sources,
  name: string,
  search: Parameters<typeof shownEntries>[1],
): Promise<{ readonly versions: readonly string[]; readonly headers: Readonly<Record<string, string>> }> => {
  const shown = await ifAny(async () => {
    const found = await findEntries(call, sources, name);
    const entries = shownEntries(mergeEntries(await found.load()), search);
    return { versions: entries.map(({ parsed }) => fullText(parsed)), headers: found.headers };
  });
  return shown ?? { versions: [], headers: {} };
};
