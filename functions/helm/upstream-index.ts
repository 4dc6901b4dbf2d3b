import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { FormatProblem } from '../../shared/packages/formats/format-problem.ts';
import { type ReleaseOf, releaseById } from '../../shared/packages/gate/gated-file.ts';
import { amongAll, listedReleases, type PackageReleases } from '../../shared/packages/gate/version-releases.ts';
import type { NamedEntry, RepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { releaseId, releasesOf } from './gate.ts';
import { readIndexDocument } from './index-pieces.ts';
import { type Metadata, readEntry } from './metadata.ts';
import { chartFile, chartPath, hasFileNames } from './paths.ts';

/** Where the file of a version is at the upstream, and its SHA-256 if the index has one. */
interface UpstreamChart {
  readonly url: string;
  readonly sha256: string;
}

/** The index of an upstream as the cache has it. */
export interface KeptIndex extends RepositoryIndex {
  /** By name and version, with a space between them. Charts in OCI registries have no file. */
  readonly files: ReadonlyMap<string, UpstreamChart>;
}

/** JSON texts, names, versions and URLs contain no control characters, so they contain neither this one nor the end of a line. */
const separator = '\u0001';

/** The URL with a slash at its end, so that relative addresses are resolved below it. */
const folderOf = (remoteRepositoryUrl: string): URL => new URL(urlBelow(remoteRepositoryUrl, ''));

/** The first address that HTTP can reach. Like helm, this gives a relative address the query of the repository. */
const fileUrlOf = (urls: unknown, folder: URL): string => {
  const texts = (Array.isArray(urls) ? urls : []).filter((url) => typeof url === 'string');
  for (const text of texts) {
    const url = URL.parse(text, folder.href);
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') continue;
    if (url.search === '' && !URL.canParse(text)) url.search = folder.search;
    return url.href;
  }
  return '';
};

const sha256Of = (digest: unknown): string =>
  /^(?:sha256:)?(?<hex>[0-9a-f]{64})$/i.exec(typeof digest === 'string' ? digest : '')?.groups?.hex?.toLowerCase() ??
  '';

/** The line of a version in the cache: its text for the index, in which the address is ours. */
const lineOf = (entry: Metadata, folder: URL): string => {
  const { name, version } = entry;
  const fieldOf = (wanted: string): string => Object.keys(entry).find((key) => key.toLowerCase() === wanted) ?? wanted;
  const url = fileUrlOf(entry[fieldOf('urls')], folder);
  const text = JSON.stringify(url === '' ? entry : { ...entry, [fieldOf('urls')]: [chartPath(name, version)] });
  return [name, version, url, sha256Of(entry[fieldOf('digest')]), text].join(separator);
};

/**
 * Whether helm takes the members of an entry for those that are read here: it compares their names without regard to case, as Go does, for
 * which ſ is an s, and the last of those that are the same counts.
 */
const isPlain = (entry: Metadata): boolean => {
  const names = Object.keys(entry).map((key) => key.toLowerCase());
  return new Set(names).size === names.length && names.every((name) => name.toUpperCase().toLowerCase() === name);
};

/** Reads an entry; undefined if helm would skip it, or refuse the whole index because of it. */
const entryOf = (name: string, value: unknown): Metadata | undefined => {
  try {
    const entry = readEntry(value);
    return entry.name === name && hasFileNames(name, entry.version) && isPlain(entry) ? entry : undefined;
  } catch (error) {
    if (error instanceof FormatProblem) return undefined;
    throw error;
  }
};

/** Packs the index of an upstream as lines, one for each version, so that no request needs to parse it again. */
export const packIndex = (sent: Buffer, remoteRepositoryUrl: string): Buffer => {
  const folder = folderOf(remoteRepositoryUrl);
  const { head, charts } = readIndexDocument(sent);
  const { generated } = head;
  const lines = [Buffer.from(typeof generated === 'string' && !Number.isNaN(Date.parse(generated)) ? generated : '')];
  for (const [name, versions] of charts()) {
    const known = new Set<string>();
    for (const value of Array.isArray(versions) ? versions : []) {
      const entry = entryOf(name, value);
      if (!entry || known.has(entry.version)) continue;
      known.add(entry.version);
      lines.push(Buffer.from(`\n${lineOf(entry, folder)}`));
    }
  }
  return Buffer.concat(lines);
};

/** Reads what `packIndex` made. */
export const unpackIndex = (kept: Uint8Array): KeptIndex => {
  const [generated = '', ...lines] = Buffer.from(kept.buffer, kept.byteOffset, kept.length).toString().split('\n');
  const files = new Map<string, UpstreamChart>();
  const entries = lines.map((line): NamedEntry => {
    const [name = '', version = '', url = '', sha256 = '', text = ''] = line.split(separator);
    if (url !== '') files.set(`${name} ${version}`, { url, sha256 });
    return { name, version, parts: [text] };
  });
  return { entries, updatedAt: generated === '' ? undefined : new Date(generated).toISOString(), files };
};

/** The name of the index at an upstream. It is no name of a chart in practice, and keeps apart what is cached of it. */
export const indexName: DocumentName = { name: 'index.yaml', document: 'index' };

/** The index at an upstream. */
export const upstreamIndex = ({ remoteRepositoryUrl }: RemoteRepository): UpstreamDocument<KeptIndex> => ({
  ...indexName,
  url: urlBelow(remoteRepositoryUrl, 'index.yaml'),
  condense: (sent) => packIndex(sent, remoteRepositoryUrl),
  parse: unpackIndex,
  releases: releasesOf,
});

/** What the index of an upstream says of a version. */
export const releaseOf: ReleaseOf = async (request, source, address) =>
  releaseById(request, source, upstreamIndex(source), releaseId(address));

/** What the index of an upstream says of all versions of a chart. */
export const packageReleases: PackageReleases = async (request, source, name) => {
  const loaded = await loadDocument(request, source, upstreamIndex(source));
  return listedReleases(loaded, (index) => releasesOf(index).filter((release) => release.name === name));
};

/** The same of one version. */
export const versionReleases = amongAll(packageReleases);

/** The file of a version at an upstream: the chart, or its provenance file beside it. */
export const locateFile = async (
  request: FetchRequest,
  source: RemoteRepository,
  { name, version, file }: FileAddress,
): Promise<UpstreamFile | undefined> => {
  const loaded = await loadDocument(request, source, upstreamIndex(source));
  const chart = (await loaded?.read())?.files.get(`${name} ${version}`);
  if (!chart) return undefined;
  const { url, sha256 } = chart;
  if (file === chartFile(name, version))
    return { url, mediaType: fileMediaType, form: 'gzip', ...(sha256 !== '' && { expected: { sha256 } }) };
  const provenance = new URL(url);
  provenance.pathname += '.prov';
  return { url: provenance.href, mediaType: fileMediaType, form: 'any' };
};
