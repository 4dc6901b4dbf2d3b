import type { BytesResult, RedirectResult } from '../http/payloads.ts';
import type { Table } from '../table/client.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import type { RemoteRepository } from '../table/repositories.ts';
import type { CacheState } from './asking-upstream.ts';
import { passFile } from './passed-files.ts';
import type { UpstreamFile } from './receiving-upstream.ts';
import { fetchFile, isFresh } from './remote-files.ts';
import { type FileAddress, type FoundFile, findPlaces } from './resolution.ts';
import { serveFile } from './serving.ts';
import type { Sources } from './sources.ts';

/** The parts of a request that a download needs. */
export interface DownloadCall {
  readonly table: Table;
  readonly loaded: IdentityMap;
  readonly isHead: boolean;
}

/** Returns the URL and the expected hashes of a file at the upstream of a remote source; undefined if it has none. */
export type LocateUpstream = (source: RemoteRepository) => Promise<UpstreamFile | undefined>;

/**
 * The headers that name the repository that answers and, for a remote one, the state of its cache. `Warning: 110` means a
 * stale answer (RFC 7234 section 5.5.1).
 */
export const originHeaders = (origin: string, cache?: CacheState): Record<string, string> => ({
  'X-Stockroom-Origin': origin,
  ...(cache && { 'X-Stockroom-Cache': cache }),
  ...(cache === 'stale' && { Warning: '110 - "Response is Stale"' }),
});

/** Serves a file from the first source that has it; undefined if no source has it. */
export const serveAddressedFile = async (
  call: DownloadCall,
  sources: Sources,
  address: FileAddress,
  locateUpstream: LocateUpstream = async () => undefined,
): Promise<BytesResult | RedirectResult | undefined> => {
  for (const place of await findPlaces(call.table, sources, address, call.loaded)) {
    const served = await serveFrom(call, place, address, locateUpstream);
    if (served) return served;
  }
  return undefined;
};

const serveFrom = async (
  call: DownloadCall,
  { source, file }: FoundFile,
  address: FileAddress,
  locateUpstream: LocateUpstream,
): Promise<BytesResult | RedirectResult | undefined> => {
  const { name } = source;
  if (source.repositoryType === 'local') return file && serveFile(call, file, originHeaders(name));
  const locate = async (): Promise<UpstreamFile | undefined> => locateUpstream(source);
  if (!source.isRemoteCacheEnabled)
    return passFile({ ...call, file: address.file, headers: originHeaders(name, 'miss') }, source, locate);
  if (file && isFresh(source, file)) return serveFile(call, file, originHeaders(name, 'hit'));
  const fetched = await fetchFile(call.table, source, address, file, locate);
  return fetched && serveFile(call, fetched.file, originHeaders(name, fetched.cache));
};
