import { ApiError } from '../../errors.ts';
import type { BytesResult } from '../../http/payloads.ts';
import { isPackageId, nameOfId } from '../nupkg/ids.ts';
import { mergeEntries } from '../nupkg/package-entries.ts';
import { fullText } from '../nupkg/versions.ts';
import type { IndexCall } from '../serve/package-indexes.ts';
import type { Sources } from '../sources/sources.ts';
import { findEntries } from './reading.ts';
import { parseSearch, type SearchParameters, searchPackages, shownEntries } from './search.ts';

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
  if (query.id !== undefined) return versionsAnswer({ table, loaded }, sources, query.id, search);
  const { hits, total, headers } = await searchPackages(table, sources, search);
  return answer({ totalHits: total, data: hits.flatMap(([entry]) => entry?.id ?? []) }, headers);
};

const versionsAnswer = async (
  call: IndexCall,
  sources: Sources,
  id: string,
  search: ReturnType<typeof parseSearch>,
): Promise<BytesResult> => {
  if (!isPackageId(id)) return answer({ data: [] }, {});
  try {
    const found = await findEntries(call, sources, nameOfId(id));
    const shown = shownEntries(mergeEntries(await found.load()), search);
    return answer({ data: shown.map(({ parsed }) => fullText(parsed)) }, found.headers);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PACKAGE_NOT_FOUND') return answer({ data: [] }, {});
    throw error;
  }
};
