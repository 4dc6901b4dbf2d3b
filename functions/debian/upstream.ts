import { requireArmored } from '../../shared/openpgp/armor.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import {
  type LoadedDocument,
  loadDocument,
  type UpstreamDocument,
} from '../../shared/packages/fetch/remote-documents.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { urlOfPath } from '../../shared/packages/upstream/url-below.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { type DebianFile, type DocumentByHash, documentsName } from './paths.ts';
import { type ReadRelease, readRelease } from './release-reader.ts';

/** A Release of an upstream, as it was sent, and what it says. */
export interface UpstreamRelease extends ReadRelease {
  readonly bytes: Buffer;
  /** The directory in which it is. */
  readonly directory: string;
}

/** A path in a directory, which is empty at the root. */
export const below = (directory: string, path: string): string => (directory === '' ? path : `${directory}/${path}`);

type SignedEntry = 'InRelease' | 'Release';

/** The name of such a document of a directory. */
export const releaseName = (directory: string, entry: SignedEntry): DocumentName => ({
  name: documentsName,
  document: below(directory, entry),
});

/** The Release of a directory at an upstream. */
export const upstreamRelease = (
  source: RemoteRepository,
  directory: string,
  entry: SignedEntry,
): UpstreamDocument<UpstreamRelease> => ({
  ...releaseName(directory, entry),
  url: urlOfPath(source, below(directory, entry)),
  parse: (bytes) => ({ bytes: Buffer.from(bytes), directory, ...readRelease(entry, bytes) }),
});

/** An armored document of an upstream, such as the signature of a Release of a revision: both change together. */
export const upstreamArmored = (
  source: RemoteRepository,
  path: string,
  revision: string,
): UpstreamDocument<Buffer> => ({
  name: documentsName,
  document: `${path} ${revision}`,
  url: urlOfPath(source, path),
  parse: (bytes) => requireArmored(path, bytes),
});

/** Loads the Release of a directory, with its signature around it if the upstream has that. */
export const loadRelease = async (
  request: FetchRequest,
  source: RemoteRepository,
  directory: string,
): Promise<LoadedDocument<UpstreamRelease> | undefined> =>
  (await loadDocument(request, source, upstreamRelease(source, directory, 'InRelease'))) ??
  loadDocument(request, source, upstreamRelease(source, directory, 'Release'));

/** How many directories are asked for a Release. */
const directoriesMax = 3;

/**
 * The directories whose Release may name what is in a directory. Below `dists`, names of distributions may have slashes, and the shortest
 * comes first; elsewhere, a Release is beside what it names.
 */
const releaseDirectories = (directory: string): readonly string[] => {
  const [dists, ...others] = directory.split('/');
  if (dists !== 'dists') return [directory];
  return others.slice(0, directoriesMax).map((_, at) => [dists, ...others.slice(0, at + 1)].join('/'));
};

/** The first Release above a directory that has what is looked for. */
const findInReleases = async <T>(
  request: FetchRequest,
  source: RemoteRepository,
  directory: string,
  find: (release: UpstreamRelease) => T | undefined,
): Promise<T | undefined> => {
  for (const each of releaseDirectories(directory)) {
    const release = await (await loadRelease(request, source, each))?.read();
    const found = release && find(release);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The hash by which a Release of an upstream names a document; undefined if none does. */
export const namedHash = async (
  request: FetchRequest,
  source: RemoteRepository,
  path: string,
): Promise<string | undefined> =>
  findInReleases(
    request,
    source,
    path.slice(0, Math.max(0, path.lastIndexOf('/'))),
    ({ directory, documents }) => documents.get(directory === '' ? path : path.slice(directory.length + 1))?.sha256,
  );

/** The name of a directory of hashes, by their length. */
const algorithmOf = (hash: string): 'SHA256' | 'SHA512' => (hash.length === 64 ? 'SHA256' : 'SHA512');

/** Where an upstream has a document, at the first of these paths, or at the second one if that is a 404. */
export const urlsOf = (
  source: RemoteRepository,
  [path, other]: readonly [path: string, other?: string | undefined],
): Pick<UpstreamFile, 'url' | 'otherwise'> => ({
  url: urlOfPath(source, path),
  otherwise: other === undefined ? undefined : urlOfPath(source, other),
});

/**
 * Where an upstream has a document, whose bytes must have its hash; undefined if no Release lets it be found. One that says that it has
 * names by hashes may lack them: apt asks by the plain name then, too.
 */
export const locateHashed = async (
  request: FetchRequest,
  source: RemoteRepository,
  { directory, file: hash }: DocumentByHash,
): Promise<UpstreamFile | undefined> => {
  const algorithm = algorithmOf(hash);
  const urls = await findInReleases(request, source, directory, (release) => {
    const named = release.pathsByHash.get(hash);
    const plain = named === undefined ? undefined : below(release.directory, named);
    if (release.hasHashes) return urlsOf(source, [below(directory, `by-hash/${algorithm}/${hash}`), plain]);
    return plain === undefined ? undefined : urlsOf(source, [plain]);
  });
  if (!urls) return undefined;
  const expected = algorithm === 'SHA256' ? { sha256: hash } : { sha512: hash };
  return { ...urls, mediaType: fileMediaType, form: 'any', expected };
};

/** The URL of a file at an upstream. Its hash is in a list of the upstream, with which clients compare it. */
export const locateFile = (source: RemoteRepository, { path }: DebianFile): UpstreamFile => ({
  url: urlOfPath(source, path),
  mediaType: fileMediaType,
  form: /\.[ud]?deb$/.test(path) ? 'ar' : 'no JSON',
});
