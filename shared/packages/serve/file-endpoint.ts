import { ApiError } from '../../errors.ts';
import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import type { Key } from '../../table/keys.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import type { ReleaseOf } from '../gate/gated-file.ts';
import { alsoReadFileOrIndex, type IndexIn } from '../sources/package-address.ts';
import type { FileAddress } from '../sources/resolution.ts';
import type { Sources } from '../sources/sources.ts';
import type { FetchRequest } from '../upstream/upstream-request.ts';
import { type DownloadCall, type DownloadOptions, type LocateUpstream, serveAddressedFile } from './file-download.ts';
import type { WhilePending } from './wait-redirects.ts';

/** How the files of a package type are addressed, and where they are at an upstream. */
export interface AddressedFiles<Params extends object, Address extends FileAddress> {
  /** The file that a path names; undefined if it names something else. May throw an ApiError. */
  readonly addressIn: (params: Params) => Address | undefined;
  readonly locate: (
    request: FetchRequest,
    source: RemoteRepository,
    address: Address,
  ) => ReturnType<LocateUpstream> | Awaited<ReturnType<LocateUpstream>>;
  /** The keys of the items from which `locate` learns where the file is. They are in `read` of its request. */
  readonly locationKeys?: (source: RemoteRepository, address: Address) => readonly Key[];
  /** What the index of the upstream says of the version in an address; absent for a type whose versions have no gate. */
  readonly releaseOf?: ReleaseOf<Address>;
  /** The index that a path is about, if it names no file: it is in the first read, too. */
  readonly indexIn?: IndexIn<Params>;
  /** The refusal of a file that no source has. By default, it is FILE_NOT_FOUND. */
  readonly missing?: (address: Address) => ApiError;
}

/** What an endpoint that serves files is made of: a download of a small file takes one round trip to the table. */
export const fileEndpoint = <Params extends object, Address extends FileAddress>(
  { whilePending }: { readonly whilePending: WhilePending },
  {
    addressIn,
    locate,
    locationKeys,
    releaseOf,
    indexIn = () => undefined,
    missing = () => new ApiError('FILE_NOT_FOUND'),
  }: AddressedFiles<Params, Address>,
) => ({
  alsoRead: alsoReadFileOrIndex(addressIn, indexIn),
  /** Serves a file from the first source that has it. Throws what `missing` returns, and as `serveAddressedFile`. */
  serve: async (
    call: DownloadCall,
    sources: Sources,
    address: Address,
    options: DownloadOptions = {},
  ): Promise<BytesResult | RedirectResult> => {
    const located: LocateUpstream = async (source, request) => locate(request, source, address);
    const served = await serveAddressedFile(call, sources, address, located, {
      whilePending,
      ...(locationKeys && { locationKeys: (source: RemoteRepository) => locationKeys(source, address) }),
      ...(releaseOf && { releaseOf: async (request, source) => releaseOf(request, source, address) }),
      ...options,
    });
    if (!served) throw missing(address);
    return served;
  },
});

/** The file that a path names, of a grammar that knows files among other things. */
export const fileIn =
  <Path extends { readonly kind: string }>(parse: (path: string) => Path | undefined) =>
  ({ path }: { readonly path: string }): Extract<Path, { readonly kind: 'file' }> | undefined => {
    const parsed = parse(path);
    return parsed?.kind === 'file' ? (parsed as Extract<Path, { readonly kind: 'file' }>) : undefined;
  };
