import { hash } from 'node:crypto';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { ApiError } from '../../shared/errors.ts';
import type { UpstreamDocuments } from '../../shared/packages/fetch/joined-documents.ts';
import {
  documentKeys,
  type LoadedDocument,
  loadDocument,
  type UpstreamDocument,
} from '../../shared/packages/fetch/remote-documents.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { NamedEntry, RepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { documentsName } from './paths.ts';
import type { NamedDocument } from './release.ts';
import { below, loadRelease, releaseName, type UpstreamRelease, urlsOf } from './upstream.ts';
import { type ListedAt, upstreamEntries } from './upstream-entries.ts';

/** The maximum size before compression of all lists of a distribution that are read: a function has 1 GB, and they are in it several times. */
const listsBytesMax = 48_000_000;

/** Unpacks a list that has the promised hash. Throws a FormatProblem. */
export const unpackList = (sent: Buffer, { path, sha256 }: NamedDocument): Buffer => {
  if (hash('sha256', sent) !== sha256)
    throw malformed(`${path} of the upstream does not have the hash that its Release names.`);
  const limits = { maxOutputLength: listsBytesMax };
  try {
    if (path.endsWith('.gz')) return gunzipSync(sent, limits);
    return path.endsWith('.zst') ? zstdDecompressSync(sent, limits) : sent;
  } catch (error) {
    throw malformed(`${path} of the upstream cannot be unpacked, or has more than ${listsBytesMax} bytes.`, error);
  }
};

/** A list of an upstream, in a form that is read, and its size before compression. */
interface ReadableList extends ListedAt {
  readonly document: NamedDocument;
  readonly openSize: number;
}

/** The compressions that are read. For xz there is nothing that works off as much at once. */
const endings = ['.gz', '.zst', ''];

const tooLong = ({ name }: RemoteRepository, distribution: string, why: string): ApiError =>
  new ApiError(
    'LIST_TOO_LONG',
    `The distribution ${distribution} of the upstream of '${name}' cannot be combined with others: ${why}. Point the client at '${name}' itself, beside the other repositories.`,
  );

/** The lists of packages that a Release names. Throws LIST_TOO_LONG if they are too large, or of another compression. */
const listsIn = (
  source: RemoteRepository,
  distribution: string,
  { components, architectures, documents }: UpstreamRelease,
): readonly ReadableList[] => {
  const lists = components.flatMap((component) =>
    [...new Set([...architectures, 'all'])].flatMap((architecture): readonly ReadableList[] => {
      const path = `${component}/binary-${architecture}/Packages`;
      const isThere = ['.xz', ...endings].some((ending) => documents.has(`${path}${ending}`));
      const document = endings.flatMap((ending) => documents.get(`${path}${ending}`) ?? [])[0];
      if (!isThere) return [];
      if (!document)
        throw tooLong(source, distribution, `${path} is there by xz alone, and gzip, zstd or none is read`);
      const openSize = documents.get(path)?.size ?? document.size;
      // A component of updates, such as updates/main, has the packages of that component.
      return [{ component: component.slice(component.lastIndexOf('/') + 1), distribution, document, openSize }];
    }),
  );
  const bytes = lists.reduce((sum, { openSize }) => sum + openSize, 0);
  if (bytes > listsBytesMax)
    throw tooLong(
      source,
      distribution,
      `its lists have ${bytes} bytes, and may have at most ${listsBytesMax} together`,
    );
  return lists;
};

const upstreamList = (
  source: RemoteRepository,
  { directory, hasHashes }: UpstreamRelease,
  list: ReadableList,
): UpstreamDocument<readonly NamedEntry[]> => {
  const { path, sha256 } = list.document;
  const plain = below(directory, path);
  const byHash = `${plain.slice(0, plain.lastIndexOf('/'))}/by-hash/SHA256/${sha256}`;
  return {
    name: documentsName,
    document: `list ${plain} ${sha256}`,
    ...urlsOf(source, hasHashes ? [byHash, plain] : [plain]),
    condense: (sent) => unpackList(sent, list.document),
    parse: (bytes) => upstreamEntries(list, bytes),
  };
};

/** Reads a list that a Release names. Throws UPSTREAM_FAILED if the upstream has lost it since. */
const readNamedList = async (
  request: FetchRequest,
  source: RemoteRepository,
  release: UpstreamRelease,
  list: ReadableList,
): Promise<readonly NamedEntry[]> => {
  const loaded = await loadDocument(request, source, upstreamList(source, release, list), undefined);
  if (loaded) return loaded.read();
  throw new ApiError(
    'UPSTREAM_FAILED',
    `The upstream of '${source.name}' does not have ${list.document.path}, which its Release names: it is being changed. Try again in a minute.`,
  );
};

/** All packages of a distribution at an upstream. Throws LIST_TOO_LONG if its lists are too large, or of another compression. */
export const upstreamIndex =
  (distribution: string) =>
  (source: RemoteRepository): UpstreamDocuments<RepositoryIndex> => ({
    keys: documentKeys(source, releaseName(`dists/${distribution}`, 'InRelease')),
    load: async (request, of) => {
      const release = await loadRelease(request, of, `dists/${distribution}`);
      return release && loadAll(request, of, distribution, release);
    },
  });

const loadAll = async (
  request: FetchRequest,
  source: RemoteRepository,
  distribution: string,
  { cache, revision, read }: LoadedDocument<UpstreamRelease>,
): Promise<LoadedDocument<RepositoryIndex>> => {
  const release = await read();
  const lists = listsIn(source, distribution, release);
  return {
    cache,
    revision,
    bytes: lists.reduce((sum, { openSize }) => sum + openSize, 0),
    read: async () => {
      const all = await Promise.all(lists.map(async (list) => readNamedList(request, source, release, list)));
      const entries = new Map(all.flat().map((entry) => [`${entry.name} ${entry.version}`, entry]));
      return { entries: [...entries.values()], updatedAt: undefined };
    },
  };
};
