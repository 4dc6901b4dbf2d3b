import { hash } from 'node:crypto';
import { type Key, keyIn, type ListKey } from '../keys.ts';
import type { CachedDocument } from './cached-documents.ts';
import type { Generation, GenerationFile, RemovedGenerationFile } from './generations.ts';
import type { IndexChange, IndexHead, NamedIndex } from './package-index.ts';
import type { LooseSize, PackageEntry, PackageFile, PackageHead, PackageTag, PackageVersion } from './packages.ts';
import type { MissingFile, UpstreamPause, WorkerSlot } from './upstream-copies.ts';
import type { UpstreamFetch } from './upstream-fetches.ts';

/** Names of packages, versions and files are their users' own: what would end a part of a key is escaped. */
const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('#', '%23');

/** What `escaped` did, undone. */
export const unescaped = (text: string): string => text.replaceAll('%23', '#').replaceAll('%25', '%');

/** One package of one repository, by the type's normalised name. */
export interface PackageRef {
  readonly contentId: string;
  readonly name: string;
}

/** The index of one package, or another one by its name; without both, that of a whole repository. */
export type IndexRef = Pick<PackageRef, 'contentId'> & Partial<PackageRef> & { readonly index?: NamedIndex };

const packagePartition = ({ contentId, name }: PackageRef): string => `PACKAGE#${contentId}#${escaped(name)}`;
const indexPartition = ({ contentId, name, index }: IndexRef): string => {
  if (name !== undefined) return packagePartition({ contentId, name });
  return index === undefined ? `INDEX#${contentId}` : `INDEX#${contentId}#${escaped(index)}`;
};

export const packagesList = (contentId: string, namePrefix = ''): ListKey<PackageEntry> => ({
  pk: `PACKAGES#${contentId}`,
  prefix: escaped(namePrefix),
});
export const packageEntryKey = ({ contentId, name }: PackageRef): Key<PackageEntry> =>
  keyIn(packagesList(contentId), escaped(name));
/** The name of the package at a position of that list. */
export const packageNameAt = (position: string, namePrefix = ''): string => unescaped(escaped(namePrefix) + position);
export const packageHeadKey = (ref: PackageRef): Key<PackageHead> => ({ pk: packagePartition(ref), sk: 'INDEX' });
export const indexHeadKey = (ref: IndexRef): Key<IndexHead> => ({ pk: indexPartition(ref), sk: 'INDEX' });
/** The head, at the position '', and after it the changes: one query reads the index. */
export const indexList = (ref: IndexRef): ListKey<IndexHead | IndexChange> => ({
  pk: indexPartition(ref),
  prefix: 'INDEX',
});
/** Everything that is stored of a package, or of another index. */
export const packageItemsList = (ref: IndexRef): ListKey<object> => ({ pk: indexPartition(ref), prefix: '' });
/** The named indexes of a repository: whoever removes its content finds them here. */
export const namedIndexesList = (contentId: string): ListKey<object> => ({
  pk: indexPartition({ contentId }),
  prefix: 'NAMED#',
});
export const namedIndexKey = (contentId: string, index: NamedIndex): Key<object> =>
  keyIn(namedIndexesList(contentId), escaped(index));
/** The named index at a position of that list. */
export const namedIndexAt = (position: string): NamedIndex => unescaped(position) as NamedIndex;
/** The packages of a repository with a mark, by which versions before there were named indexes are found. A mark stays. */
export const markedList = (contentId: string, mark: string, namePrefix = ''): ListKey<object> => ({
  pk: indexPartition({ contentId }),
  prefix: `MARK#${mark}#${escaped(namePrefix)}`,
});
export const indexChangeKey = (ref: IndexRef, changeId: string): Key<IndexChange> => ({
  pk: indexPartition(ref),
  sk: `INDEX#${changeId}`,
});
/**
 * The newest change of each version that the snapshot of an index contains, for the case that the store loses the snapshot. No read
 * needs them otherwise. Earlier releases kept all changes there, under their IDs.
 */
export const mergedChangesList = (ref: IndexRef): ListKey<IndexChange> => ({
  pk: indexPartition(ref),
  prefix: 'MERGED#',
});
/** Names and versions may be longer together than a sort key. */
export const mergedChangeKey = (ref: IndexRef, version: string): Key<IndexChange> =>
  keyIn(mergedChangesList(ref), hash('sha256', version, 'base64url'));
/** The current generation of a document about all packages of a repository. */
export const generationKey = (contentId: string, document: string): Key<Generation> => ({
  pk: indexPartition({ contentId }),
  sk: `GENERATION#${document}`,
});
/** A file that a generation of such a document names, or named. */
export const generationFileKey = (
  contentId: string,
  document: string,
  file: string,
): Key<GenerationFile | RemovedGenerationFile> => ({
  pk: indexPartition({ contentId }),
  sk: `GENERATED#${escaped(document)}#${file}`,
});
export const versionsList = (ref: PackageRef): ListKey<PackageVersion> => ({
  pk: packagePartition(ref),
  prefix: 'VERSION#',
});
export const versionKey = (ref: PackageRef, version: string): Key<PackageVersion> =>
  keyIn(versionsList(ref), escaped(version));
export const filesList = (ref: PackageRef, version?: string): ListKey<PackageFile> => ({
  pk: packagePartition(ref),
  prefix: version === undefined ? 'FILE#' : `FILE#${escaped(version)}#`,
});
export const fileKey = (ref: PackageRef, version: string, file: string): Key<PackageFile> =>
  keyIn(filesList(ref, version), escaped(file));
export const tagsList = (ref: PackageRef): ListKey<PackageTag> => ({ pk: packagePartition(ref), prefix: 'TAG#' });
export const tagKey = (ref: PackageRef, tag: string): Key<PackageTag> => keyIn(tagsList(ref), escaped(tag));
export const looseSizeKey = (ref: PackageRef, shard: number): Key<LooseSize> => inPackage(ref, `SIZE#${shard}`);
export const cachedDocumentKey = (ref: PackageRef, document: string): Key<CachedDocument> =>
  inPackage(ref, `CACHE#${escaped(document)}`);
/** A document of an upstream about a package. Releases that keep different forms of it give them different names. */
export interface DocumentName {
  /** The name of the package, normalised by the rules of its type. */
  readonly name: string;
  /** The name of the document within its package. */
  readonly document: string;
}
/** What is read of a document of an upstream: its copy, the entry of its package, and the pause that the upstream requested. */
export const keysOfDocument = (contentId: string, { name, document }: DocumentName): Key[] => {
  const ref = { contentId, name };
  return [cachedDocumentKey(ref, document), packageEntryKey(ref), upstreamPauseKey(contentId)];
};
export const missingFileKey = (ref: PackageRef, version: string, file: string): Key<MissingFile> =>
  inPackage(ref, `MISSING#${escaped(version)}#${escaped(file)}`);
export const fileFetchKey = (ref: PackageRef, version: string, file: string): Key<UpstreamFetch> =>
  inPackage(ref, `FETCH#${escaped(version)}#${escaped(file)}`);
export const documentFetchKey = (ref: PackageRef, document: string): Key<UpstreamFetch> =>
  inPackage(ref, `FETCH#${escaped(document)}`);
export const upstreamPauseKey = (contentId: string): Key<UpstreamPause> => ({
  pk: `UPSTREAM#${contentId}`,
  sk: 'UPSTREAM',
});
/** What waits for upstreams in a workspace is counted as it is of an upstream, which may have a pause besides. */
export const workspaceCrowdKey = (workspaceId: string): Key<UpstreamPause> => ({
  pk: `WORKERS#${workspaceId}`,
  sk: 'HANGING',
});
export const workerSlotKey = (workspaceId: string, slot: number): Key<WorkerSlot> => ({
  pk: `WORKERS#${workspaceId}`,
  sk: `WORKER#${slot}`,
});

const inPackage = <T>(ref: PackageRef, sk: string): Key<T> => ({ pk: packagePartition(ref), sk });
