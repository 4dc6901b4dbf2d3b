import type { ApiError } from '../../errors.ts';
import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import { storeMilliseconds } from '../../limits.ts';
import { Table } from '../../table/client.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import { fileKey } from '../../table/packages/package-keys.ts';
import { isLive, type PackageFile } from '../../table/packages/packages.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { isLost } from '../blobs/stored-bytes.ts';
import { isFresh, type UpstreamPart } from '../fetch/file-cache.ts';
import { fetchFile, type LocateFile } from '../fetch/remote-files.ts';
import { passGate, type ReleaseOf } from '../gate/gated-file.ts';
import { isHeld, publishedHeaders } from '../releases/open-gate.ts';
import { servedKeyOf } from '../sources/identifiers.ts';
import { type FileAddress, type FoundFile, findFiles, isLocal } from '../sources/resolution.ts';
import type { Sources } from '../sources/sources.ts';
import type { UpstreamFile } from '../upstream/upstream-body.ts';
import {
  type CacheState,
  type FetchRequest,
  fetchRequest,
  isPending,
  isUpstreamRefusal,
} from '../upstream/upstream-request.ts';
import { type ServeFile, serveBlob } from './file-answers.ts';
import { firstAnswer } from './joined-answers.ts';
import { originHeaders } from './origin-headers.ts';
import { readable } from './readable.ts';
import { passFile } from './uncached-files.ts';
import { canWait, pendingAnswer, type WaitingRequest, type WhilePending } from './wait-redirects.ts';

/** The parts of a request that a download needs. */
export interface DownloadCall extends WaitingRequest {
  readonly table: Table;
  readonly loaded: IdentityMap;
  readonly isHead: boolean;
}

/** A request whose answer has time of its own: whoever waited for an upstream has used up that of the request. */
const inTime = <Request extends { readonly table: Table }>(request: Request): Request => ({
  ...request,
  table: new Table(storeMilliseconds, request.table),
});

/** Another file of the same source that the answer is made from. */
export interface MadeFrom {
  readonly address: FileAddress;
  readonly upstream: UpstreamFile;
  /** Answers with something else about the stored file, or with the part of it that is stored. */
  readonly serve: ServeFile;
  /** The part that will do as long as the file is not stored. */
  readonly part?: UpstreamPart | undefined;
}

/**
 * Returns the URL and the expected hashes of a file at the upstream of a remote source; undefined if it has none. If the source
 * stores what it fetches, the file may also be made from another one.
 */
export type LocateUpstream = (
  source: RemoteRepository,
  request: FetchRequest,
) => Promise<UpstreamFile | MadeFrom | undefined>;

/** How a download differs from that of the file itself. */
export interface DownloadOptions {
  /** By default, the client is redirected to wait while an upstream is still sending. */
  readonly whilePending?: WhilePending;
  /** Answers with something else about the stored file. */
  readonly serve?: ServeFile;
  /** Headers of the file, also where it is passed on. They replace those of the download. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is passed on from an upstream whose cache is off, if `locateUpstream` returns another file there. */
  readonly passed?: FileAddress;
  /** The keys of the items from which `locateUpstream` learns where the file is. They are in `read` of its request. */
  readonly locationKeys?: (source: RemoteRepository) => readonly Key[];
  /** What the index of the upstream says of it; absent for a type whose versions have no gate. */
  readonly releaseOf?: ReleaseOf | undefined;
  /** Set if the address has a hash of the file: where an upstream fails, each source after it has the same file or none. */
  readonly isSameAnywhere?: boolean;
}

/** Notes for the log line which version is served, to which address. HEAD serves none. */
const noteServed = (
  { isHead, table }: DownloadCall,
  { all: [source] }: Sources,
  { name, version }: FileAddress,
): void => {
  if (isHead || !source) return;
  const served = servedKeyOf(source.workspaceId, source.packageType, name, version);
  table.usage.served = { version: served, address: table.author.sourceAddress };
};

/**
 * Serves a file from the first source that has it; undefined if no source has it. If the upstream of a
 * source fails before it is known whether it has the file, the next sources are tried.
 */
export const serveAddressedFile = async (
  call: DownloadCall,
  sources: Sources,
  address: FileAddress,
  locateUpstream: LocateUpstream,
  { isSameAnywhere = false, ...options }: DownloadOptions = {},
): Promise<BytesResult | RedirectResult | undefined> => {
  noteServed(call, sources, address);
  const request = fetchRequest(call);
  const notLocated: NotLocated = new Set();
  const shared = {
    whilePending: 'redirect',
    serve: serveBlob,
    passed: address,
    locationKeys: () => [],
    ...options,
    address,
    locateUpstream,
    notLocated,
    request,
  } as const;
  return firstAnswer(
    await findFiles(call.table, sources, address, call.loaded),
    async (found, failed) =>
      serveFrom(call, found, {
        ...shared,
        unreachable: failed.flatMap(({ source: { source }, refusal }) => (isHeld(refusal) ? [] : source.name)),
      }),
    // Another source may let a version pass that one holds back.
    (error): error is ApiError =>
      notLocated.has(error) || isHeld(error) || (isSameAnywhere && isUpstreamRefusal(error)),
  );
};

/** The failures of upstreams, or those of being late, before it was known whether they have the file. */
type NotLocated = Set<unknown>;

/** The state that the attempts to serve a file from each source share. */
interface Serving
  extends Required<Omit<DownloadOptions, 'headers' | 'releaseOf' | 'isSameAnywhere'>>,
    Pick<DownloadOptions, 'headers' | 'releaseOf'>,
    Pick<MadeFrom, 'part'> {
  readonly address: FileAddress;
  readonly locateUpstream: LocateUpstream;
  readonly notLocated: NotLocated;
  /** The names of the sources before it that could not be asked. */
  readonly unreachable: readonly string[];
  readonly request: FetchRequest;
}

/** How a file is located at the upstream of a source. `other` is set if that says to make the file from another one. */
interface Locating {
  readonly locate: LocateFile;
  /** Asks the gate of the source. */
  readonly passes: (file: PackageFile | undefined) => ReturnType<typeof passGate>;
  other?: MadeFrom;
}

const locating = (
  call: DownloadCall,
  source: RemoteRepository,
  { address, locateUpstream, releaseOf, request, notLocated, whilePending }: Serving,
): Locating => {
  /** Notes a failure before it is known whether the source has the file. */
  const asking = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      const isLate = isPending(error) && !canWait(call.query, whilePending);
      if (isLate || isUpstreamRefusal(error)) notLocated.add(error);
      throw error;
    }
  };
  const located: Locating = {
    passes: async (file) =>
      asking(async () => (releaseOf ? passGate(request, source, { address, file, releaseOf }) : {})),
    locate: async (read) =>
      asking(async () => {
        const upstream = await locateUpstream(source, read ? { ...request, read } : request);
        if (!upstream || 'url' in upstream) return upstream;
        located.other = upstream;
        return undefined;
      }),
  };
  return located;
};

const serveFrom = async (
  call: DownloadCall,
  { source, file }: FoundFile,
  serving: Serving,
): Promise<BytesResult | RedirectResult | undefined> => {
  const { address, notLocated, unreachable, request, whilePending, passed, part, locationKeys } = serving;
  const serve: Serving['serve'] = async (wanted, served, headers) =>
    serving.serve(inTime(wanted), served, { ...headers, ...serving.headers });
  if (!readable(source, { kind: 'file', ...address }, address)) return undefined;
  const headersOf = (...caches: readonly CacheState[]): Record<string, string> =>
    originHeaders({ origins: [source.name], caches, unreachable });
  if (isLocal(source))
    return file && serve(call, file, { ...headersOf(), ...publishedHeaders(Date.parse(file.createdAt)) });
  const located = locating(call, source, serving);
  try {
    const gated = await located.passes(file);
    if (gated === 'not listed') return undefined;
    const headersFor = (cache: CacheState) => ({ ...headersOf(cache), ...gated });
    if (!source.isRemoteCacheEnabled) {
      const passing = { ...request, isHead: call.isHead, headers: { ...headersFor('miss'), ...serving.headers } };
      return await passFile(passing, source, passed, located.locate);
    }
    const fetchAndServe = async (isLostHere: boolean): Promise<BytesResult | RedirectResult | undefined> => {
      const wanted = { address, cached: file, isLost: isLostHere, part, locationKeys: locationKeys(source) };
      const fetched = await fetchFile(request, source, wanted, located.locate);
      if (!fetched) return located.other && serveMadeFrom(inTime(call), source, located.other, serving);
      return serve({ ...call, hasStored: fetched.cache === 'miss' }, fetched.file, headersFor(fetched.cache));
    };
    return await unlessLost(
      async () => (file && isFresh(source, file) ? serve(call, file, headersFor('hit')) : fetchAndServe(false)),
      async () => fetchAndServe(true),
    );
  } catch (error) {
    if (!isPending(error) || notLocated.has(error)) throw error;
    call.table.usage.served = undefined;
    return pendingAnswer(call, whilePending, headersOf());
  }
};

/** Serves a file; if the store has lost its bytes, `again` fetches them from the upstream. */
const unlessLost = async <T>(serve: () => Promise<T>, again: () => Promise<T>): Promise<T> => {
  try {
    return await serve();
  } catch (error) {
    if (!isLost(error)) throw error;
    return again();
  }
};

const serveMadeFrom = async (
  call: DownloadCall,
  source: RemoteRepository,
  { address, upstream, serve, part }: MadeFrom,
  serving: Serving,
): Promise<BytesResult | RedirectResult | undefined> => {
  const key = fileKey({ contentId: contentIdOf(source), name: address.name }, address.version, address.file);
  const file = (await call.table.read([key])).find(key);
  const found = { source, file: isLive(file) ? file : undefined };
  return serveFrom(call, found, { ...serving, address, serve, part, locateUpstream: async () => upstream });
};
