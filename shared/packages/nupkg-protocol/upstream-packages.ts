import { ApiError } from '../../errors.ts';
import type { Key } from '../../table/keys.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { fileMediaType } from '../changes/publication.ts';
import { joinDocuments, type UpstreamDocuments } from '../fetch/joined-documents.ts';
import { documentKeys, type LoadedDocument, loadDocument, type UpstreamDocument } from '../fetch/remote-documents.ts';
import { malformed } from '../formats/format-problem.ts';
import { parseObject } from '../formats/json-objects.ts';
import { type ReleaseOf, releaseWithId } from '../gate/gated-file.ts';
import { amongAll, listedReleases, type PackageReleases } from '../gate/version-releases.ts';
import { nameOfId } from '../nupkg/ids.ts';
import type { NupkgEntry } from '../nupkg/package-entries.ts';
import { nuspecMediaType } from '../nupkg/package-files.ts';
import { normalVersion } from '../nupkg/versions.ts';
import { mappedInOrder } from '../serve/ordered-map.ts';
import type { FileAddress } from '../sources/resolution.ts';
import type { UpstreamFile } from '../upstream/upstream-body.ts';
import type { FetchRequest } from '../upstream/upstream-request.ts';
import { urlBelow } from '../upstream/url-below.ts';
import { type PackageFeed, readFeed } from './feed.ts';
import { releasesOf, type VersionTimes, withListTimes, withTimesOf } from './gate.ts';
import { registrationDocument } from './upstream-registration.ts';
import { serviceKeys, spokenProtocol, type UpstreamService } from './upstream-service.ts';

type Entries = readonly NupkgEntry[];
type Loaded<D> = Promise<LoadedDocument<D> | undefined>;

const below = (base: string, path: string): string => `${base.replace(/\/+$/, '')}/${path}`;

/** The pages of a feed that are read of one package. */
const feedPagesMax = 250;

const feedDocument = (name: string, page: number, url: string): UpstreamDocument<PackageFeed> => ({
  name,
  document: `feed ${page}`,
  url,
  accept: 'application/atom+xml, application/xml',
  condense: (sent) => Buffer.from(JSON.stringify(readFeed(sent, url))),
  parse: (kept) => JSON.parse(Buffer.from(kept).toString()) as PackageFeed,
  releases: ({ entries }) => releasesOf(entries),
});

/** The URL of the versions of a package in version 2 of the protocol. */
const feedUrl = ({ remoteRepositoryUrl }: RemoteRepository, name: string): string => {
  const url = new URL(urlBelow(remoteRepositoryUrl, 'FindPackagesById()'));
  const query = `id='${name}'&semVerLevel=2.0.0`;
  url.search = url.search === '' ? query : `${url.search.slice(1)}&${query}`;
  return url.href;
};

/** Throws UPSTREAM_FAILED if a feed goes on where it has been, or beyond what is read of it. */
const requireNew = (url: string, read: ReadonlySet<string>, name: string): void => {
  const { host } = new URL(url);
  if (read.has(url))
    throw new ApiError('UPSTREAM_FAILED', `${host} leads from a page of ${name} back to one that was read before.`);
  if (read.size === feedPagesMax)
    throw new ApiError('UPSTREAM_FAILED', `${host} has more than ${feedPagesMax} pages of ${name}.`);
};

/** The entries of a feed, page after page. */
const fromFeed = async (request: FetchRequest, source: RemoteRepository, name: string): Loaded<Entries> => {
  const pages: LoadedDocument<PackageFeed>[] = [];
  const read = new Set<string>();
  for (let url: string | undefined = feedUrl(source, name); url !== undefined; ) {
    requireNew(url, read, name);
    read.add(url);
    const page: LoadedDocument<PackageFeed> | undefined = await loadDocument(
      request,
      source,
      feedDocument(name, pages.length, url),
    );
    if (!page) break;
    pages.push(page);
    url = (await page.read()).next;
  }
  const isOfPackage = ({ id }: NupkgEntry): boolean => nameOfId(id) === name;
  const joined = joinDocuments(pages, (feeds) => feeds.flatMap(({ entries }) => entries).filter(isOfPackage));
  // Version 2 has no other answer for a package that is not there.
  return (await joined.read()).length > 0 ? joined : undefined;
};

/** The entries of a registration, with those of its pages. */
const fromRegistration = async (
  request: FetchRequest,
  source: RemoteRepository,
  { registrations, hosts, files }: UpstreamService,
  name: string,
): Loaded<Entries> => {
  if (registrations === undefined)
    throw new ApiError('UPSTREAM_FAILED', `The service index of '${source.name}' lists no RegistrationsBaseUrl.`);
  const index = registrationDocument(name, below(registrations, `${name}/index.json`), hosts);
  const first = await loadDocument(request, source, index);
  if (!first) return undefined;
  const { pages } = await first.read();
  const others = await mappedInOrder(pages, async ({ url, lower, upper }) => {
    const page = await loadDocument(request, source, registrationDocument(name, url, hosts, `${lower}/${upper}`));
    if (page) return page;
    throw new ApiError('UPSTREAM_FAILED', `${new URL(url).host} does not have a page of ${name} that its index lists.`);
  });
  const joined = joinDocuments([first, ...others], (found) => found.flatMap(({ entries }) => entries));
  if (pages.length === 0 || !source.releaseGate || files === undefined) return joined;
  return withListTimes(joined, await loadDocument(request, source, versionsDocument(name, files)));
};

/** What an upstream knows of the versions of a package. */
export const upstreamEntries = (source: RemoteRepository, name: string): UpstreamDocuments<Entries> => ({
  keys: [
    ...serviceKeys(source),
    ...documentKeys(source, { name, document: 'registration index' }),
    ...documentKeys(source, { name, document: 'feed 0' }),
  ],
  load: async (request) => {
    const spoken = await spokenProtocol(request, source);
    return spoken.version === 3
      ? fromRegistration(request, source, spoken.service, name)
      : fromFeed(request, source, name);
  },
});

const versionsDocument = (name: string, files: string): UpstreamDocument<readonly VersionTimes[]> => ({
  name,
  document: 'versions',
  url: below(files, `${name}/index.json`),
  accept: 'application/json',
  parse: (kept) => {
    const { versions } = parseObject(kept, 'The list of versions of the upstream');
    if (!Array.isArray(versions)) throw malformed('The upstream lists no versions of the package.');
    return versions.flatMap((version) => (typeof version === 'string' ? [{ version }] : []));
  },
  releases: releasesOf,
});

/** The list of the versions of a package; for a gate with the times that the registration says. */
const listedVersions = async (
  request: FetchRequest,
  source: RemoteRepository,
  name: string,
  files: string,
): Loaded<readonly VersionTimes[]> => {
  const list = await loadDocument(request, source, versionsDocument(name, files));
  if (!list || !source.releaseGate) return list;
  const entries = await upstreamEntries(source, name).load(request, source);
  return entries ? withTimesOf(list, entries) : list;
};

/** The versions of a package at an upstream, by the shortest way. */
export const upstreamVersions = (
  source: RemoteRepository,
  name: string,
): UpstreamDocuments<readonly VersionTimes[]> => ({
  keys: [...serviceKeys(source), ...documentKeys(source, { name, document: 'versions' })],
  load: async (request) => {
    const spoken = await spokenProtocol(request, source);
    return spoken.version === 3 && spoken.service.files !== undefined
      ? listedVersions(request, source, name, spoken.service.files)
      : upstreamEntries(source, name).load(request, source);
  },
});

/** What an upstream knows of the version in a path. */
export const releaseOf: ReleaseOf = async (request, source, { name, version }) => {
  const loaded = await upstreamEntries(source, name).load(request, source);
  return loaded && releaseWithId(loaded, releasesOf, version);
};

/** What an upstream knows of all versions of a package. */
export const packageReleases: PackageReleases = async (request, source, name) =>
  listedReleases(await upstreamEntries(source, name).load(request, source), releasesOf);

/** The same of one version. */
export const versionReleases = amongAll(packageReleases);

/** The keys of the items that say where the files of an upstream are. */
export const locationKeys = (source: RemoteRepository): readonly Key[] => serviceKeys(source);

/** Where a file is at an upstream. Without a folder of files, it has packages only. */
export const locatePackage = async (
  request: FetchRequest,
  source: RemoteRepository,
  { name, version, file }: FileAddress,
): Promise<UpstreamFile | undefined> => {
  const spoken = await spokenProtocol(request, source);
  if (spoken.version === 3 && spoken.service.files !== undefined) {
    const url = below(spoken.service.files, `${name}/${version}/${file}`);
    return file.endsWith('.nuspec')
      ? { url, mediaType: nuspecMediaType, form: 'xml' }
      : { url, mediaType: fileMediaType, form: 'zip' };
  }
  if (!file.endsWith('.nupkg')) return undefined;
  const entries = await (await upstreamEntries(source, name).load(request, source))?.read();
  const entry = entries?.find((each) => normalVersion(each.version) === version);
  if (entry?.content === undefined) return undefined;
  const { content: url, sha512 } = entry;
  return { url, mediaType: fileMediaType, form: 'zip', ...(sha512 !== undefined && { expected: { sha512 } }) };
};
