import { ApiError } from '../../shared/errors.ts';
import { requireArmored } from '../../shared/openpgp/armor.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { UpstreamDocuments } from '../../shared/packages/fetch/joined-documents.ts';
import {
  documentKeys,
  type LoadedDocument,
  loadDocument,
  type UpstreamDocument,
} from '../../shared/packages/fetch/remote-documents.ts';
import type { RepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { urlOfPath } from '../../shared/packages/upstream/url-below.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import type { PackageTexts } from './package-xml.ts';
import { groupOfVersion, type HashedFile, type RpmFile, repodataName } from './paths.ts';
import { type RepodataFile, readRepomd } from './repomd.ts';
import { upstreamEntries } from './upstream-entries.ts';
import { hashesIn, type ListedText, readList, unpackList, whyUnread } from './upstream-lists.ts';

/** A repomd.xml of an upstream, as it was sent, and the files that it names. */
export interface UpstreamRepomd {
  readonly bytes: Buffer;
  readonly files: readonly RepodataFile[];
}

const belowGroup = (group: string, path: string): string => (group === '' ? path : `${group}/${path}`);

/** The name of the repomd.xml of a group. */
export const repomdName = (group: string): DocumentName => ({
  name: repodataName,
  document: belowGroup(group, 'repodata/repomd.xml'),
});

/** The repomd.xml of a group at an upstream. */
export const upstreamRepomd = (source: RemoteRepository, group: string): UpstreamDocument<UpstreamRepomd> => ({
  ...repomdName(group),
  url: urlOfPath(source, belowGroup(group, 'repodata/repomd.xml')),
  parse: (bytes) => ({ bytes: Buffer.from(bytes), files: readRepomd(bytes) }),
});

/** The signature of a repomd.xml, or the key that made it, of a revision of that document: both change together. */
export const upstreamCompanion = (
  source: RemoteRepository,
  { group, ending, revision }: { readonly group: string; readonly ending: '.asc' | '.key'; readonly revision: string },
): UpstreamDocument<Buffer> => {
  const path = belowGroup(group, `repodata/repomd.xml${ending}`);
  return {
    name: repodataName,
    document: `${path} ${revision}`,
    url: urlOfPath(source, path),
    parse: (bytes) => requireArmored(path, bytes),
  };
};

const upstreamList = (
  source: RemoteRepository,
  group: string,
  named: RepodataFile,
): UpstreamDocument<readonly ListedText[]> => ({
  name: repodataName,
  document: `list ${belowGroup(group, named.file)} ${named.checksum.hex}`,
  url: urlOfPath(source, belowGroup(group, `repodata/${named.file}`)),
  condense: (sent) => unpackList(sent, named),
  parse: readList,
});

/** Reads a list that a repomd.xml names. Throws UPSTREAM_FAILED if the upstream has lost it since. */
const readNamedList = async (
  request: FetchRequest,
  source: RemoteRepository,
  group: string,
  named: RepodataFile,
): Promise<readonly ListedText[]> => {
  const list = await loadDocument(request, source, upstreamList(source, group, named), undefined);
  if (list) return list.read();
  throw new ApiError(
    'UPSTREAM_FAILED',
    `The upstream of '${source.name}' does not have ${named.file}, which its repomd.xml names: it is being changed. Try again in a minute.`,
  );
};

const listNamed = ({ files }: UpstreamRepomd, type: keyof PackageTexts): RepodataFile | undefined =>
  files.find((file) => file.type === type);

const requireReadable = ({ name }: RemoteRepository, type: string, named: RepodataFile | undefined): RepodataFile => {
  const why = named ? whyUnread(named) : `its repomd.xml names no list '${type}' in its own directory repodata/`;
  if (named && why === undefined) return named;
  throw new ApiError(
    'LIST_TOO_LONG',
    `The upstream of '${name}' cannot be combined with others: ${why}. Point the client at '${name}' itself, beside the other repositories.`,
  );
};

/** All packages of a group at an upstream. Throws LIST_TOO_LONG if its lists are too large, of another compression, or not in `repodata/`. */
export const upstreamIndex =
  (group: string) =>
  (source: RemoteRepository): UpstreamDocuments<RepositoryIndex> => ({
    keys: documentKeys(source, repomdName(group)),
    load: async (request, of) => {
      const repomd = await loadDocument(request, of, upstreamRepomd(of, group));
      return repomd && loadAll(request, of, group, repomd);
    },
  });

const loadAll = async (
  request: FetchRequest,
  source: RemoteRepository,
  group: string,
  { cache, revision, read }: LoadedDocument<UpstreamRepomd>,
): Promise<LoadedDocument<RepositoryIndex>> => {
  const repomd = await read();
  const [primary, filelists, other] = (['primary', 'filelists', 'other'] as const).map((type) =>
    requireReadable(source, type, listNamed(repomd, type)),
  ) as [RepodataFile, RepodataFile, RepodataFile];
  const sizes = [primary, filelists, other].map(({ openSize = 0 }) => openSize);
  return {
    cache,
    revision,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    read: async () => {
      const textsOf = async (named: RepodataFile) => readNamedList(request, source, group, named);
      const lists = [await textsOf(primary), await textsOf(filelists), await textsOf(other)] as const;
      return { entries: upstreamEntries(group, ...lists), updatedAt: undefined };
    },
  };
};

/** How many of them are asked about. */
const groupsMax = 4;

/** The groups to which a package file may belong: that of its directories, and those above it. */
const groupsAbove = (group: string): readonly string[] =>
  group === '' ? [''] : [group, ...groupsAbove(group.slice(0, Math.max(0, group.lastIndexOf('/'))))];

/** What an upstream promises of a package file: its SHA-256, or nothing if its list is too large. */
type Promised = { readonly sha256?: string };

const promisedIn = async (
  request: FetchRequest,
  source: RemoteRepository,
  group: string,
  path: string,
): Promise<Promised | undefined> => {
  const repomd = await (await loadDocument(request, source, upstreamRepomd(source, group)))?.read();
  const primary = repomd && listNamed(repomd, 'primary');
  if (!primary) return undefined;
  if (whyUnread(primary) !== undefined) return {};
  const list = await readNamedList(request, source, group, primary);
  const sha256 = hashesIn(list).get(group === '' ? path : path.slice(group.length + 1));
  return sha256 === undefined ? undefined : sha256.length === 64 ? { sha256 } : {};
};

/** The URL of a package file at an upstream, and the hash that its list promises; undefined if no list names it. */
export const locatePackage = async (
  request: FetchRequest,
  source: RemoteRepository,
  { version, path }: RpmFile,
): Promise<UpstreamFile | undefined> => {
  for (const group of groupsAbove(groupOfVersion(version)).slice(0, groupsMax)) {
    const expected = await promisedIn(request, source, group, path);
    if (expected) return { url: urlOfPath(source, path), mediaType: fileMediaType, form: 'any', expected };
  }
  return undefined;
};

/** The URL of a file beside repomd.xml, and its hash; undefined if that names no such file. */
export const locateHashed = async (
  request: FetchRequest,
  source: RemoteRepository,
  { group, file }: HashedFile,
): Promise<UpstreamFile | undefined> => {
  const repomd = await (await loadDocument(request, source, upstreamRepomd(source, group)))?.read();
  const named = repomd?.files.find((each) => each.file === file);
  if (!named) return undefined;
  const { algorithm, hex } = named.checksum;
  const url = urlOfPath(source, belowGroup(group, `repodata/${file}`));
  return { url, mediaType: fileMediaType, form: 'any', expected: { [algorithm]: hex } };
};
