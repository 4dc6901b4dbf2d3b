import { ApiError } from '../../errors.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import {
  type DocumentName,
  fileKey,
  indexHeadKey,
  keysOfDocument,
  packageHeadKey,
} from '../../table/packages/package-keys.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import type { RemoteSource } from '../../table/repositories/verdicts.ts';
import { addressRootOf } from '../sources/type-facts.ts';
import type { AddressedType } from './addressed-type.ts';
import { advisoryReads, strictestGate, strictestOf } from './advisory-reads.ts';
import { normalRules } from './name-rules.ts';
import { type FileAddress, isRemote } from './resolution.ts';
import {
  advisoryKeysFor,
  asksForAdvisories,
  earlierContents,
  mayHaveIndex,
  type Reach,
  reach,
  type Source,
  type Sources,
  sourceContents,
  sourceKeys,
  sourcesOf,
  verdictKeys,
} from './sources.ts';

/** What is known of a request for packages before its first read. */
interface SourcesRequest {
  readonly params: { readonly repository: string };
  readonly workspaceId: string;
  readonly loaded: IdentityMap;
}

/** A header of the request, by its name in lower case. */
type Header = (name: string) => string | undefined;

const reachOf = ({ params, workspaceId, loaded }: SourcesRequest): Reach =>
  reach(workspaceId, params.repository, loaded);

/** The keys that a request for packages adds to the first read: the repositories that the one in the path combines, and what the workspace decided about packages of remote ones. */
export const alsoReadSources = (request: SourcesRequest): readonly Key[] => keysOfSources(reachOf(request));

const keysOfSources = (reached: Reach): readonly Key[] => [...sourceKeys(reached), ...verdictKeys(reached)];

/** The keys of `holderKeys` in these contents: none in one that answers alone. */
const holdersIn = (reached: Reach, name: string, contents = sourceContents(reached)): readonly Key[] =>
  contents.length === 1
    ? []
    : [...contents.filter(mayHaveIndex), ...earlierContents(reached)].map((contentId) =>
        packageHeadKey({ contentId, name }),
      );

/** The keys of the heads of a package, as `holderKeys` has them: none for a repository that answers alone. */
export const alsoReadHolders = (request: SourcesRequest, name: string): readonly Key[] =>
  holdersIn(reachOf(request), name);

/** The keys that say in which of the sources a file is. */
export const alsoReadAddress = (request: SourcesRequest, address: FileAddress): readonly Key[] =>
  keysOfAddress(reachOf(request), address);

const keysOfAddress = (reached: Reach, { name, version, file }: FileAddress): readonly Key[] => {
  const contents = sourceContents(reached);
  return [
    ...holdersIn(reached, name, contents),
    ...contents.map((contentId) => fileKey({ contentId, name }, version, file)),
    ...advisoryKeysFor(reached, name),
  ];
};

/** An index that a path is about: that of a package; without a name, that of the whole repository. */
export interface IndexAddress {
  readonly name?: string;
  /** The documents of an upstream that the index is read from. */
  readonly documents?: readonly DocumentName[];
}

/** The index that a path is about, and its documents, which a header may choose; undefined if it is about none. May throw an ApiError. */
export type IndexIn<Params> = (params: Params, header: Header) => IndexAddress | undefined;

const indexKeysIn = (contentId: string, { name, documents = [] }: IndexAddress): readonly Key[] =>
  mayHaveIndex(contentId)
    ? [indexHeadKey({ contentId, ...(name !== undefined && { name }) })]
    : documents.flatMap((document) => keysOfDocument(contentId, document));

/**
 * The keys of an index in the repositories that the one in the path combines, for the first read: who has a document
 * of it already, or asks for one that this process has, is answered by that one read. In a local repository it is the head of the
 * index, in a remote one what is kept of the documents.
 */
const keysOfIndex = (reached: Reach, address: IndexAddress): readonly Key[] => {
  const indexKeys = sourceContents(reached).flatMap((contentId) => indexKeysIn(contentId, address));
  const { name } = address;
  return name === undefined
    ? indexKeys
    : [...indexKeys, ...holdersIn(reached, name), ...advisoryKeysFor(reached, name)];
};

/** What a path names. */
interface Named {
  readonly file: FileAddress | undefined;
  readonly index: IndexAddress | undefined;
}

/**
 * The keys of the sources, and of what a path names: the address of a file, where that may be, or an index. So each takes one
 * round trip. A path that names neither is refused once access is decided. It is called again after each read, and reads the path once.
 */
export const alsoReadFileOrIndex = <Params extends object>(
  fileIn: (params: Params) => FileAddress | undefined,
  indexIn: IndexIn<Params>,
) => {
  const known = new WeakMap<Params, Named>();
  const namedIn = (params: Params, header: Header): Named => {
    const named = {
      file: unlessRefused(() => fileIn(params)),
      index: unlessRefused(() => indexIn(params, header)),
    };
    known.set(params, named);
    return named;
  };
  return (request: SourcesRequest & { readonly params: Params; readonly header: Header }): readonly Key[] => {
    const { file, index } = known.get(request.params) ?? namedIn(request.params, request.header);
    const reached = reachOf(request);
    return [
      ...keysOfSources(reached),
      ...(file ? keysOfAddress(reached, file) : []),
      ...(index ? keysOfIndex(reached, index) : []),
    ];
  };
};

/** The same for a path that names no file. */
export const alsoReadIndex = <Params extends object>(indexIn: IndexIn<Params>) =>
  alsoReadFileOrIndex(() => undefined, indexIn);

const unlessRefused = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

/** Refuses a repository of another package type with REPOSITORY_NOT_FOUND. Who gets here may see it, so the answer says where it is. */
export const requireType = (repository: Repository, { name, root }: Pick<AddressedType, 'name' | 'root'>): void => {
  if (repository.packageType === name) return;
  const right = addressRootOf(repository.packageType);
  throw new ApiError(
    'REPOSITORY_NOT_FOUND',
    `'${repository.name}' is a repository of the type ${repository.packageType}: its addresses begin with ${right}, not with ${root}.`,
  );
};

/**
 * The sources of a repository, each remote one with the strictest gates of all of them: what advisories block in one of those that are
 * read together, they block in all.
 */
export const sourcesTogether = (repository: Repository, loaded: IdentityMap): Sources => {
  const sources = sourcesOf(repository, loaded);
  const asking = sources.all.filter(asksForAdvisories);
  const beside = { advisedBy: strictestGate(asking, 'enforce'), observedBy: strictestGate(asking, 'observe') };
  return { ...sources, all: sources.all.map((source) => (isRemote(source) ? { ...source, ...beside } : source)) };
};

/**
 * A source with what the rules on versions in it need of its type: the spelling of versions, and the advisories that its gate asks for,
 * if there are any for packages of the type, or that of a source beside it. It is one of `sourcesTogether`.
 */
export const withVersionRules = <S extends Source>(
  source: S,
  { order, spelling }: Pick<AddressedType, 'order' | 'spelling'>,
  loaded: IdentityMap,
): S | RemoteSource => {
  if (!isRemote(source)) return source;
  const spelled = spelling.versions ? { ...source, versionSpelling: spelling.versions } : source;
  const asking = strictestOf([source.advisedBy, source.observedBy]);
  if (!order || !asking) return spelled;
  return { ...spelled, advisories: advisoryReads({ ...source, releaseGate: asking }, order, loaded) };
};

/** The sources of the repository in the path, with its rules in the spelling of the type. Refuses a repository of another package type. */
export const addressedSources = (
  { repository, loaded }: { readonly repository: Repository; readonly loaded: IdentityMap },
  type: AddressedType,
): Sources => {
  requireType(repository, type);
  const sources = sourcesTogether(repository, loaded);
  const all = sources.all.map((source) => withVersionRules(source, type, loaded));
  return { all, upstreamNames: normalRules(type.spelling, sources.upstreamNames) };
};
