import { hash } from 'node:crypto';
import type { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { joinTimes } from '../releases/release-times.ts';
import type { CacheState, FetchRequest } from '../upstream/upstream-request.ts';
import { documentKeys, type LoadedDocument, loadDocument, type UpstreamDocument } from './remote-documents.ts';

/** What several documents of an upstream say together, where one of them tells what the others are. */
export interface UpstreamDocuments<D> {
  /** The keys of the first of them, which can be read together with others. */
  readonly keys: readonly Key[];
  /** Loads them as `loadDocument` loads one; undefined if the upstream has none. */
  readonly load: (request: FetchRequest, source: RemoteRepository) => Promise<LoadedDocument<D> | undefined>;
}

/** What an index of an upstream is read from. */
export type UpstreamIndex<D> = UpstreamDocument<D> | UpstreamDocuments<D>;

const isOne = <D>(index: UpstreamIndex<D>): index is UpstreamDocument<D> => 'url' in index;

/** The keys that `loadIndexDocument` reads first. */
export const indexDocumentKeys = <D>(source: RemoteRepository, index: UpstreamIndex<D>): readonly Key[] =>
  isOne(index) ? documentKeys(source, index) : index.keys;

/** Loads what an index of an upstream is read from. `loaded` may contain the items of its keys. */
export const loadIndexDocument = async <D>(
  request: FetchRequest,
  source: RemoteRepository,
  index: UpstreamIndex<D>,
  loaded: IdentityMap,
): Promise<LoadedDocument<D> | undefined> =>
  isOne(index) ? loadDocument(request, source, index, loaded) : index.load({ ...request, read: loaded }, source);

/** If an answer has several cache states, the first of this list describes it. */
const precedence: readonly CacheState[] = ['stale', 'miss', 'revalidated', 'hit'];

/** The cache state that describes several; undefined if there is none. */
export const joinedState = (states: readonly CacheState[]): CacheState | undefined =>
  precedence.find((state) => states.includes(state));

/** Several documents of one upstream as one. */
export const joinDocuments = <D, J>(
  documents: readonly LoadedDocument<D>[],
  join: (contents: readonly D[]) => J,
): LoadedDocument<J> => ({
  cache: joinedState(documents.map(({ cache }) => cache)) ?? 'hit',
  revision: hash('sha256', documents.map(({ revision }) => revision).join(), 'base64url'),
  times: joinTimes(documents.map(({ times }) => times)),
  bytes: documents.reduce((sum, { bytes }) => sum + bytes, 0),
  read: async () => join(await Promise.all(documents.map(async ({ read }) => read()))),
});
