import type { BytesResult, RedirectResult } from '../http/payloads.ts';
import type { Table } from '../table/client.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import { isFresh } from './remote-files.ts';
import { type FileAddress, findPlaces } from './resolution.ts';
import { serveFile } from './serving.ts';
import type { Sources } from './sources.ts';

/** What is needed of a request to download a file. */
export interface DownloadCall {
  readonly table: Table;
  readonly loaded: IdentityMap;
  readonly isHead: boolean;
}

/** Where a file comes from, in the answer. */
const originHeaders = (origin: string, cache?: string): Record<string, string> => ({
  'X-Stockroom-Origin': origin,
  ...(cache && { 'X-Stockroom-Cache': cache }),
});

/** Serves the file at an address from the first source that has it; undefined when none has. */
export const serveAddressedFile = async (
  call: DownloadCall,
  sources: Sources,
  address: FileAddress,
): Promise<BytesResult | RedirectResult | undefined> => {
  for (const { source, file } of await findPlaces(call.table, sources, address, call.loaded)) {
    const isLocal = source.repositoryType === 'local';
    if (file && (isLocal || isFresh(source, file)))
      return serveFile(call, file, originHeaders(source.name, isLocal ? undefined : 'hit'));
  }
  return undefined;
};
