import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { isObject, parseObject, without } from '../../shared/packages/formats/json-objects.ts';
import { type ReleaseOf, releaseById } from '../../shared/packages/gate/gated-file.ts';
import { amongAll, listedReleases, type PackageReleases } from '../../shared/packages/gate/version-releases.ts';
import type { MadeFrom } from '../../shared/packages/serve/file-download.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { FileForm } from '../../shared/packages/upstream/web-pages.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { isFileName, splitCompanion } from './filenames.ts';
import { releasesOf } from './gate.ts';
import { parseHtmlPage } from './html-index.ts';
import { isJsonPage, requireIndex } from './index-pages.ts';
import { projectIn } from './names.ts';
import { metadataPromise, type ProjectFile, type ProjectFiles, withMetadata } from './project-files.ts';
import { serveWheelMetadata } from './wheel-metadata.ts';
import { askForMetadata } from './wheel-parts.ts';

type Upstream = Pick<RemoteRepository, 'remoteRepositoryUrl' | 'isRemoteCacheEnabled'>;

/** The URL of a page. The URL of the remote repository may be that of the index itself, which ends in `simple`. */
const pageUrl = ({ remoteRepositoryUrl }: Pick<Upstream, 'remoteRepositoryUrl'>, name: string): string => {
  const url = new URL(remoteRepositoryUrl);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = `${/(?:^|[/+])simple$/.test(path) ? path : `${path}/simple`}/${name}/`;
  return url.href;
};

/** The name of the page of a project at an upstream. */
export const pageName = (name: string): DocumentName => ({ name, document: 'project page' });

/** The page of a project at an upstream. JSON comes first: HTML lacks sizes and times. */
export const upstreamPage = (source: Upstream, name: string): UpstreamDocument<ProjectFiles> => {
  const url = pageUrl(source, name);
  return {
    ...pageName(name),
    url,
    accept:
      'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1, */*;q=0.01',
    condense: (sent, answer) => {
      // Addresses in it are relative to where it is, after all redirects (RFC 3986 section 5.1.3).
      const page = parsePage(sent, { name, url: answer.url.href });
      requireIndex(sent, answer.headers['content-type'], name, page);
      return Buffer.from(JSON.stringify(page));
    },
    parse: (kept) => {
      const page = JSON.parse(Buffer.from(kept.buffer, kept.byteOffset, kept.length).toString()) as ProjectFiles;
      return source.isRemoteCacheEnabled ? withMetadata(page) : page;
    },
    releases: releasesOf(name),
  };
};

/** Parses the page that an upstream returns for a name at a URL, in whichever form. */
export const parsePage = (sent: Buffer, { name, url }: { name: string; url: string }): ProjectFiles => {
  const text = sent.toString();
  const page = isJsonPage(text) ? parseJsonPage(text, name) : parseHtmlPage(text, url);
  const { meta } = page.head;
  const version = isObject(meta) ? meta['api-version'] : undefined;
  // PEP 629: a client must not read a page of another major version.
  if (typeof version !== 'string' || !/^1\.\d+$/.test(version))
    throw malformed('The page of the upstream is of another version of the API than 1.');
  return { ...page, files: page.files.flatMap((file) => withUrls(file, url)) };
};

const parseJsonPage = (text: string, name: string): ProjectFiles => {
  const page = parseObject(text, 'The page of the upstream');
  if (typeof page.name === 'string' && projectIn(page.name) !== name)
    throw malformed(`The upstream answers with another project than '${name}'.`);
  const { files, versions } = page;
  if (!Array.isArray(files)) throw malformed('The page of the upstream has no files.');
  return {
    head: without(page, 'name', 'files', 'versions'),
    versions: Array.isArray(versions) ? versions.filter((version) => typeof version === 'string') : undefined,
    files: files.filter((file): file is ProjectFile => isObject(file) && typeof file.filename === 'string'),
  };
};

const httpUrl = (value: unknown, base: string): string | undefined => {
  const url = typeof value === 'string' ? URL.parse(value, base) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  url.hash = '';
  return url.href;
};

/** A file with absolute addresses; nothing if it could not be downloaded. */
const withUrls = (file: ProjectFile, base: string): ProjectFile[] => {
  const url = httpUrl(file.url, base);
  if (url === undefined || !isFileName(file.filename)) return [];
  const { provenance } = file;
  return [{ ...file, url, ...(typeof provenance === 'string' && { provenance: httpUrl(provenance, base) ?? null }) }];
};

/**
 * The URL of a file at an upstream, taken from the page of its project: it may be on any host and have any path. METADATA that
 * the upstream does not have is read from the wheel: in parts at the upstream, as long as the wheel is not stored.
 */
export const locateFile = async (
  request: FetchRequest,
  source: RemoteRepository,
  address: FileAddress,
): Promise<UpstreamFile | MadeFrom | undefined> => {
  const { name, file } = address;
  const loaded = await loadDocument(request, source, upstreamPage(source, name));
  const { files, withMetadataHere } = (await loaded?.read()) ?? { files: [] };
  const { main, companion } = splitCompanion(file);
  const found = files.find(({ filename }) => filename === main);
  if (!found || typeof found.url !== 'string') return undefined;
  const itself = upstreamFile(found.url, found.hashes, found.size);
  if (companion === undefined) return itself;
  if (companion === '.provenance')
    return typeof found.provenance === 'string' ? upstreamFile(found.provenance) : undefined;
  const promise = companion === '.metadata' ? metadataPromise(found) : found['gpg-sig'] === true;
  if (companion === '.metadata' && withMetadataHere?.has(main) === true)
    return {
      address: { ...address, file: main },
      upstream: itself,
      serve: serveWheelMetadata,
      part: { name: file, ask: askForMetadata(itself.expected?.size) },
    };
  return promise === false ? undefined : upstreamFile(beside(found.url, companion), promise);
};

/** What the page of an upstream says of a file, or of the file that a companion belongs to. */
export const releaseOf: ReleaseOf = async (request, source, { name, file }) =>
  releaseById(request, source, upstreamPage(source, name), splitCompanion(file).main);

/** What the page of an upstream says of each file of a project. */
export const packageReleases: PackageReleases = async (request, source, name) => {
  const page = upstreamPage(source, name);
  return listedReleases(await loadDocument(request, source, page), page.releases);
};

/** The same of the files of one version. */
export const versionReleases = amongAll(packageReleases);

/** The URL of a file that is beside another one. */
const beside = (address: string, suffix: string): string => {
  const url = new URL(address);
  url.pathname += suffix;
  return url.href;
};

const algorithms = { sha256: 64, sha512: 128, sha384: 96, sha224: 56, sha1: 40, md5: 32 } as const;

/** The form of a file that has no hash: an old page may promise none. */
const formOf = (url: string): FileForm => {
  const { pathname } = new URL(url);
  if (/\.(?:whl|egg|zip)$/.test(pathname)) return 'zip';
  return /\.(?:tar\.gz|tgz)$/.test(pathname) ? 'gzip' : 'any';
};

/** Takes the hashes that an index promises, as far as they can be checked. */
const upstreamFile = (url: string, hashes?: unknown, size?: unknown): UpstreamFile => {
  const promised = Object.entries(algorithms).flatMap(([name, length]) => {
    const hash = isObject(hashes) ? hashes[name] : undefined;
    const isHash = typeof hash === 'string' && hash.length === length && /^[0-9a-f]+$/i.test(hash);
    return isHash ? [[name, hash.toLowerCase()] as const] : [];
  });
  return {
    url,
    mediaType: fileMediaType,
    form: formOf(url),
    expected: { ...(Number.isSafeInteger(size) && { size: size as number }), ...Object.fromEntries(promised) },
  };
};
