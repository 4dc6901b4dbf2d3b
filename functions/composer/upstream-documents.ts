import { hash } from 'node:crypto';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { documentKeys, loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject, parseObject, without } from '../../shared/packages/formats/json-objects.ts';
import type { ReleaseOf } from '../../shared/packages/gate/gated-file.ts';
import {
  listedReleases,
  type NamedVersion,
  type PackageReleases,
  type VersionReleases,
} from '../../shared/packages/gate/version-releases.ts';
import { withSeen } from '../../shared/packages/releases/release-times.ts';
import { isForbiddenSegment } from '../../shared/packages/sources/path-segments.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import { type FetchRequest, ifKept } from '../../shared/packages/upstream/upstream-request.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { Key } from '../../shared/table/keys.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { UpstreamError } from '../../shared/upstream/upstream-error.ts';
import { releasesOf } from './gate.ts';
import type { ComposerVersion, Dist } from './index-entries.ts';
import { expandedVersions, minifiedForm } from './minified.ts';
import { packageNameOf } from './names.ts';
import { isDevelopment, normalize, versionLengthMax, versionOf } from './versions.ts';

type Upstream = Pick<RemoteRepository, 'remoteRepositoryUrl'>;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();

/** The addresses that an upstream gives in its packages.json, each absolute. */
interface Addresses {
  /** Where the versions of a package are. An upstream for Composer 1 alone has none. */
  readonly metadata: string | undefined;
  readonly search: string | undefined;
  readonly list: string | undefined;
  /** Where it is asked for advisories. */
  readonly advisories: string | undefined;
}

/** No package has this name: it has no vendor. */
const rootFile = 'packages.json';

/** The URL of the packages.json of an upstream, which its users may have given. */
export const rootUrl = ({ remoteRepositoryUrl }: Upstream): string =>
  new URL(remoteRepositoryUrl).pathname.endsWith('.json')
    ? remoteRepositoryUrl
    : urlBelow(remoteRepositoryUrl, rootFile);

/** An address of packages.json: one that begins with a slash is of its host. */
const absolute = (address: unknown, base: string): string | undefined => {
  const url = typeof address === 'string' ? URL.parse(address, base) : null;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
};

const advisoriesOf = ({ 'security-advisories': advisories }: JsonObject): JsonObject =>
  isObject(advisories) ? advisories : {};

/** The addresses in the packages.json of an upstream. */
export const addressesIn = (root: JsonObject, url: string): Addresses => ({
  metadata: absolute(root['metadata-url'], url),
  search: absolute(root.search, url),
  list: absolute(root.list, url),
  advisories: absolute(advisoriesOf(root)['api-url'], url),
});

/** What an upstream says of itself. */
const upstreamRoot = (source: Upstream): UpstreamDocument<Addresses> => {
  const url = rootUrl(source);
  return {
    name: rootFile,
    document: 'root',
    url,
    accept: 'application/json',
    parse: (kept) => addressesIn(parseObject(textOf(kept), 'The packages.json of the upstream'), url),
  };
};

/** Where an upstream has the versions of a package; undefined if it has no packages.json, and so no package. */
const versionsUrl = async (
  request: FetchRequest,
  source: RemoteRepository,
  marked: string,
): Promise<string | undefined> => {
  const root = await loadDocument(request, source, upstreamRoot(source));
  if (!root) return undefined;
  const { metadata } = await root.read();
  const { host } = new URL(source.remoteRepositoryUrl);
  if (!metadata?.includes('%package%'))
    throw new UpstreamError(
      'protocol',
      { host },
      'has no metadata-url in its packages.json: it is a repository for Composer 1, and Stockroom needs one for Composer 2',
    );
  return metadata.replaceAll('%package%', () => marked);
};

/** A version of an upstream, and where its file is. */
export interface UpstreamVersion extends ComposerVersion {
  readonly url?: string;
}

/** Which document of a package an upstream is asked for. */
interface WantedDocument {
  readonly name: string;
  readonly isDevelopment: boolean;
}

/** The name of a document with versions of a package at an upstream. */
export const versionsName = ({ name, isDevelopment: isWanted }: WantedDocument): DocumentName => ({
  name,
  document: isWanted ? 'development versions' : 'versions',
});

/** The versions of a package at an upstream. */
export const upstreamVersions = (
  source: RemoteRepository,
  wanted: WantedDocument,
): UpstreamDocument<readonly UpstreamVersion[]> => {
  const { name, isDevelopment: isWanted } = wanted;
  const marked = isWanted ? `${name}~dev` : name;
  return {
    ...versionsName(wanted),
    url: async (request) => versionsUrl(request, source, marked),
    accept: 'application/json',
    parse: (kept) => versionsIn(parseObject(textOf(kept), 'The document of the upstream'), name),
    releases: releasesOf,
  };
};

/** Whether a version is one of the package that lists it: Composer installs it under the name that it has itself. */
const isOf =
  (name: string) =>
  ({ name: own = name }: JsonObject): boolean =>
    typeof own === 'string' && packageNameOf(own) === name;

/** The versions in a document. What Composer itself could not read is left out, and what is of another package. */
export const versionsIn = ({ packages, minified }: JsonObject, name: string): readonly UpstreamVersion[] => {
  const listed = isObject(packages) ? packages[name] : undefined;
  if (!isObject(packages) || (listed === undefined && Object.keys(packages).length > 0))
    throw malformed(`The document of the upstream has no versions of ${name}.`);
  const versions = isObject(listed) ? Object.values(listed) : (listed ?? []);
  if (!Array.isArray(versions)) throw malformed('The versions of the upstream are no list.');
  return expandedVersions(versions, minified === minifiedForm)
    .filter(isOf(name))
    .map(upstreamVersionOf)
    .filter((version) => version !== undefined);
};

/** What only the upstream itself may say: whom to notify, and how to reach it. */
const ofUpstreams = ['dist', 'notification-url', 'installation-source', 'transport-options'] as const;

/** The name of an old normal form, which Composer 2 reads as the branch that it stands for. */
const defaultBranch = '9999999-dev';

const upstreamVersionOf = (given: JsonObject): UpstreamVersion | undefined => {
  const { version: spelled, version_normalized: sent, dist } = given;
  if (typeof spelled !== 'string') return undefined;
  const isKept = typeof sent === 'string' && sent !== defaultBranch && sent.length <= versionLengthMax;
  const normalized = isKept ? sent : normalize(spelled);
  if (normalized === undefined || isForbiddenSegment(versionOf(normalized))) return undefined;
  const fields = without(given, ...ofUpstreams);
  return { version: versionOf(normalized), normalized, fields, isForeign: true, ...(isObject(dist) && fileOf(dist)) };
};

/** The endings of the files of a dist by its type, as Composer names them. */
const endings: Readonly<Record<string, string>> = { gzip: 'gz', xz: 'xz', rar: 'rar', tar: 'tar', zip: 'zip' };

const isName = (text: string): boolean => !text.includes('/') && text.length <= 200 && !isForbiddenSegment(text);

/**
 * The file of a version, under the name of what its upstream calls the reference: another commit is another file. Without one, its
 * URL distinguishes it.
 */
const fileOf = ({ type, url, reference, shasum }: JsonObject): Pick<UpstreamVersion, 'dist' | 'url'> => {
  if (typeof url !== 'string' || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return {};
  const kind = typeof type === 'string' && Object.hasOwn(endings, type) ? type : 'zip';
  const isNamed = typeof reference === 'string' && isName(reference);
  const named = isNamed ? reference : hash('sha1', url);
  const dist: Dist = {
    type: kind,
    file: `${named}.${endings[kind]}`,
    reference: typeof reference === 'string' ? reference : '',
    shasum: typeof shasum === 'string' ? shasum : '',
  };
  return { dist, url };
};

/** The keys of the items that say where the files of a version are. */
export const fileLocationKeys = (source: RemoteRepository, { name, version }: FileAddress): readonly Key[] => [
  ...documentKeys(source, versionsName({ name, isDevelopment: isDevelopment(version) })),
  ...documentKeys(source, upstreamRoot(source)),
];

/** The document of an upstream that lists a version. */
const documentOf = (source: RemoteRepository, { name, version }: NamedVersion) =>
  upstreamVersions(source, { name, isDevelopment: isDevelopment(version) });

/** The version whose file is at an address: a commit that was tagged again, or that a branch left, has another one. */
const versionAt = (
  versions: readonly UpstreamVersion[] | undefined,
  { version, file }: FileAddress,
): UpstreamVersion | undefined => versions?.find((each) => each.version === version && each.dist?.file === file);

/** What the document of an upstream says of the version in a file. */
export const releaseOf: ReleaseOf = async (request, source, address) => {
  const loaded = await loadDocument(request, source, documentOf(source, address));
  const found = versionAt(await loaded?.read(), address);
  return withSeen(releasesOf(found ? [found] : []), loaded?.times)[0];
};

/** What it says of all files of a version. */
export const versionReleases: VersionReleases = async (request, source, asked) => {
  const listed = await listedReleases(await loadDocument(request, source, documentOf(source, asked)), releasesOf);
  return listed.filter(({ version }) => version === asked.version);
};

/** What an upstream says of all versions of a package. Those in development are in a document that not all clients ask for. */
export const packageReleases: PackageReleases = async (request, source, name) => {
  const load = async (isWanted: boolean) =>
    listedReleases(
      await loadDocument(request, source, upstreamVersions(source, { name, isDevelopment: isWanted })),
      releasesOf,
    );
  return [...(await load(false)), ...((await ifKept(load(true))) ?? [])];
};

/** The URL of a file at an upstream, and the hash that its document promises. Archives of GitHub have none. */
export const locateFile = async (
  request: FetchRequest,
  source: RemoteRepository,
  address: FileAddress,
): Promise<UpstreamFile | undefined> => {
  const found = versionAt(await (await loadDocument(request, source, documentOf(source, address)))?.read(), address);
  if (found?.url === undefined) return undefined;
  const sha1 = found.dist?.shasum.toLowerCase() ?? '';
  return {
    url: found.url,
    mediaType: fileMediaType,
    form: found.dist?.type === 'zip' ? 'zip' : 'any',
    ...(/^[0-9a-f]{40}$/.test(sha1) && { expected: { sha1 } }),
  };
};
