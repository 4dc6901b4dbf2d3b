import { hash } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import type { IndexHead } from '../../table/packages/package-index.ts';
import { packageHeadKey } from '../../table/packages/package-keys.ts';
import type { PackageHead } from '../../table/packages/packages.ts';
import { contentIdOf, type LocalRepository, type RemoteRepository } from '../../table/repositories/repositories.ts';
import type { RemoteSource } from '../../table/repositories/verdicts.ts';
import { indexDocumentKeys, loadIndexDocument, type UpstreamIndex } from '../fetch/joined-documents.ts';
import { type GatedIndex, gatedIndex, type IndexGate, openIndex } from '../gate/gated-index.ts';
import { type LoadedIndex, loadIndex } from '../index/package-index.ts';
import { gateFor, type HeldRelease } from '../releases/open-gate.ts';
import { answeringSources, holderKeys, isLocal, isRemote } from '../sources/resolution.ts';
import { revisionOfRules, type Source, type Sources } from '../sources/sources.ts';
import { type CacheState, type FetchRequest, fetchRequest, isPending } from '../upstream/upstream-request.ts';
import { combinedBytes, combinedBytesMax, requireCombinable, type SizedIndex } from './combined-size.ts';
import { type JoinedAnswers, joinAnswers, refuseUnreachable } from './joined-answers.ts';
import { originHeaders } from './origin-headers.ts';
import { readable } from './readable.ts';
import { canWait, type WaitingRequest } from './wait-redirects.ts';

/** The parts of a request that finding an index needs. */
export interface IndexCall {
  readonly table: Table;
  /** The items of the first read: what it has of the heads is not read again. */
  readonly loaded: IdentityMap;
  /** Absent if the client cannot be redirected to wait. */
  readonly query?: WaitingRequest['query'];
}

/** The index of a package, and how its package type reads it from one source. */
export interface WantedIndex<I> {
  /** The name of the package, normalised by the rules of its type. */
  readonly name: string;
  /** Makes the index of a local repository from its entries. */
  readonly ofLocal: (index: LoadedIndex) => I;
  /** The document of an upstream that contains the index, or several of them. */
  readonly ofUpstream: (source: RemoteRepository) => UpstreamIndex<I>;
  /** Absent for a type whose versions have no gate. */
  readonly gate?: IndexGate<I>;
}

/** The index of a package in the repository of the address. */
export interface FoundIndexes<I> {
  readonly name: string;
  /** It changes whenever one of the indexes changes. */
  readonly revision: string;
  /** The revisions that it is made of. */
  readonly known: readonly { readonly source: Source; readonly revision: string }[];
  /** The size of the indexes together, before compression. */
  readonly bytes: number;
  /** The headers that say where the answer comes from. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the gates of its sources hold back. */
  readonly held: readonly HeldRelease[];
  /** Reads the indexes of all sources that have the package, in the order of resolution. */
  readonly load: () => Promise<readonly I[]>;
}

/** An index in sources, and how it is read from one of them. */
export interface IndexInSources<H extends IndexHead, I> {
  /** The name of the package; empty for an index of several packages. */
  readonly name: string;
  readonly headKeyIn: (source: Source) => Key<H>;
  /** Further keys that `asked` needs. */
  readonly alsoRead?: readonly Key[];
  /** The sources that are asked, by the heads of the local ones and those further items. */
  readonly asked: (read: IdentityMap) => readonly Source[];
  /** The index in a local repository by its head; undefined if that has none. */
  readonly ofLocal: (source: LocalRepository, head: H | undefined) => KnownIndex<I> | undefined;
  /** Absent if no upstream is asked. */
  readonly ofUpstream?: (source: RemoteRepository) => UpstreamIndex<I>;
  readonly gate?: IndexGate<I> | undefined;
}

/** The same, found: each index is loaded with its source. */
export interface FoundInSources<I> extends Omit<FoundIndexes<I>, 'load'> {
  readonly load: () => Promise<readonly { readonly source: Source; readonly index: I }[]>;
}

/** An index in one source, read only as far as needed to know whether it changed. */
export interface KnownIndex<I> extends SizedIndex {
  readonly revision: string;
  /** Set for a remote repository. */
  readonly cache?: CacheState;
  /** What its gate says, of a remote repository with one. */
  readonly gated?: Pick<GatedIndex<I>, 'held' | 'headers'>;
  readonly load: () => Promise<I>;
}

/**
 * Finds an index in the sources of an address, by the heads in the local sources, which are read at once unless the
 * first read has them, and then in the remote sources that are asked. The changes since the snapshots are queried only when
 * the index is loaded: then it may be newer than its revision, but never older. If an upstream fails and another source has the index, the answer leaves that upstream out.
 * Undefined if no source has it. Throws LIST_TOO_LONG, UPSTREAM_FAILED and UPSTREAM_TIMEOUT; FILE_PENDING while an upstream takes longer
 * than the request and the client can wait.
 */
export const findIndex = async <H extends IndexHead, I>(
  { table, loaded, query }: IndexCall,
  sources: Sources,
  { name, headKeyIn, alsoRead = [], asked, ofLocal, ofUpstream, gate }: IndexInSources<H, I>,
): Promise<FoundInSources<I> | undefined> => {
  const request = fetchRequest({ table, query });
  const keys = ofUpstream
    ? sources.all.filter(isRemote).flatMap((source) => indexDocumentKeys(source, ofUpstream(source)))
    : [];
  const read = await table.read([...sources.all.filter(isLocal).map(headKeyIn), ...alsoRead, ...keys], loaded);
  const headIn = (source: Source): H | undefined => read.find(headKeyIn(source));
  const answers = await answersOf<I>(asked(read), async (source) => {
    const index = isRemote(source)
      ? ofUpstream && (await remoteIndex(request, source, { name, wanted: ofUpstream(source), gate }, read))
      : ofLocal(source, headIn(source));
    return index && readable(source, { kind: 'index', name }, index);
  });
  return joined(name, answers, query, revisionOfRules(sources));
};

/** Finds the index of a package in the sources that may answer for its name. Throws PACKAGE_NOT_FOUND, and as `findIndex`. */
export const findIndexes = async <I>(
  call: IndexCall,
  sources: Sources,
  wanted: WantedIndex<I>,
): Promise<FoundIndexes<I>> => {
  const { name, ofUpstream, gate } = wanted;
  const found = await findIndex<PackageHead, I>(call, sources, {
    name,
    headKeyIn: (source) => packageHeadKey({ contentId: contentIdOf(source), name }),
    alsoRead: holderKeys(sources, name),
    asked: (read) => answeringSources(sources, name, read),
    ofLocal: (source, head) => head && localIndex(call.table, source, head, wanted),
    ofUpstream,
    gate,
  });
  if (!found) throw noPackage(name);
  return { ...found, load: async () => (await found.load()).map(({ index }) => index) };
};

const noPackage = (name: string): ApiError =>
  new ApiError('PACKAGE_NOT_FOUND', `There is no package '${name}' in this repository.`);

/** The answers of sources, in their order. Once their indexes are too large to be combined, no further one is asked. */
const answersOf = async <I>(
  sources: readonly Source[],
  answerOf: (source: Source) => Promise<KnownIndex<I> | undefined>,
): Promise<JoinedAnswers<Source, KnownIndex<I>>> => {
  let bytes = 0;
  return joinAnswers(sources, async (source) => {
    if (bytes > combinedBytesMax) return undefined;
    const answer = await answerOf(source);
    bytes += answer?.bytes ?? 0;
    return answer;
  });
};

/**
 * Joins the answers of the sources, in their order; undefined if no source has an index. Throws LIST_TOO_LONG if they are too large
 * to be combined, FILE_PENDING while the client
 * can wait, and the refusal of an upstream if there is nothing else.
 */
const joined = <I>(
  name: string,
  { found, unreachable }: JoinedAnswers<Source, KnownIndex<I>>,
  query: WaitingRequest['query'] | undefined,
  rules: string,
): FoundInSources<I> | undefined => {
  const known = found.map(({ value }) => value);
  requireCombinable(known);
  const pending = unreachable.find(({ refusal }) => isPending(refusal));
  if (pending && query && canWait(query)) throw pending.refusal;
  if (known.length > 0) return combined(name, known, unreachable, rules);
  refuseUnreachable(unreachable);
  return undefined;
};

/** The index in a local repository; undefined if all versions of the package were deleted. */
const localIndex = <I>(
  table: Table,
  source: LocalRepository,
  { versionCount, revision, entryBytes = 0 }: PackageHead,
  { name, ofLocal }: WantedIndex<I>,
): KnownIndex<I> | undefined => {
  if (versionCount === 0) return undefined;
  const contentId = contentIdOf(source);
  const load = async (): Promise<I> => {
    const index = await loadIndex(table, { contentId, name });
    // Its last version was deleted since the head was read.
    if (!index || index.head.versionCount === 0) throw noPackage(name);
    return ofLocal(index);
  };
  return { source, bytes: entryBytes, revision: `${contentId}:${revision}`, load };
};

/** The index in a remote repository; undefined if its upstream has no such document. */
const remoteIndex = async <I>(
  request: FetchRequest,
  source: RemoteSource,
  {
    name,
    wanted,
    gate,
  }: { readonly name: string; readonly wanted: UpstreamIndex<I>; readonly gate: IndexGate<I> | undefined },
  loaded: IdentityMap,
): Promise<KnownIndex<I> | undefined> => {
  if (gate && name !== '') await source.advisories?.read(request.table, name);
  const found = await loadIndexDocument(request, source, wanted, loaded);
  if (!found) return undefined;
  const { bytes, cache } = found;
  const { revision, read, ...gated } = gate
    ? await gatedIndex(gateFor(source, name), name, found, gate)
    : openIndex(found);
  return { source, bytes, revision: `${contentIdOf(source)}:${revision}`, cache, gated, load: read };
};

const combined = <I>(
  name: string,
  known: readonly KnownIndex<I>[],
  unreachable: JoinedAnswers<Source, unknown>['unreachable'],
  rules: string,
): FoundInSources<I> => ({
  name,
  known,
  revision: hash('sha256', known.map(({ revision }) => revision).join() + rules, 'base64url'),
  bytes: combinedBytes(known),
  headers: Object.assign(
    originHeaders({
      origins: known.map(({ source }) => source.name),
      caches: known.flatMap(({ cache }) => cache ?? []),
      unreachable: unreachable.map(({ source }) => source.name),
    }),
    ...known.map(({ gated }) => gated?.headers),
  ),
  held: known.flatMap(({ gated }) => gated?.held ?? []),
  load: async () => Promise.all(known.map(async ({ source, load }) => ({ source, index: await load() }))),
});
