import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { CacheEntry } from '../../shared/packages/fetch/document-cache.ts';
import { type CopyBefore, keptCopy } from '../../shared/packages/fetch/document-times.ts';
import type { UpstreamDocuments } from '../../shared/packages/fetch/joined-documents.ts';
import {
  documentKeys,
  type LoadedDocument,
  loadDocument,
  type UpstreamDocument,
} from '../../shared/packages/fetch/remote-documents.ts';
import { type ReleaseOf, releaseById } from '../../shared/packages/gate/gated-file.ts';
import { listedReleases, onePerVersion, type PackageReleases } from '../../shared/packages/gate/version-releases.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import { gateFor, type OpenGate, wholeGateFor } from '../../shared/packages/releases/open-gate.ts';
import { allPass, releaseTimesOf } from '../../shared/packages/releases/release-times.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { Key } from '../../shared/table/keys.ts';
import { cachedDocumentKey, type DocumentName, documentFetchKey } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf, type RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { releasesOf } from './gate.ts';
import { type ManifestForm, timeOf, withTime } from './index-entries.ts';
import { hashesOfDist, type ListedHash } from './integrity.ts';
import { type KeptPackument, packPackument, unpackPackument } from './kept-packument.ts';
import type { PackageIndex } from './packument.ts';
import { tarballFile } from './paths.ts';
import { parseUpstreamPackument, type UpstreamTarball } from './upstream-packument.ts';

/** The media type of an abbreviated packument. */
export const abbreviatedType = 'application/vnd.npm.install-v1+json';

/** What npm itself sends for each form. */
const accepted: Readonly<Record<ManifestForm, string>> = {
  full: 'application/json',
  abbreviated: `${abbreviatedType}; q=1.0, application/json; q=0.8, */*`,
};

/** The name of a packument of an upstream. Each form is a document of its own. */
export const packumentName = (name: string, form: ManifestForm): DocumentName => ({
  name,
  document: `packument ${form}`,
});

const abbreviatedCopy = async ({ table, ref }: CacheEntry): Promise<CopyBefore<KeptPackument> | undefined> => {
  const key = cachedDocumentKey(ref, packumentName(ref.name, 'abbreviated').document);
  const copy = (await table.read([key])).find(key);
  return copy && keptCopy({ table, key }, copy, unpackPackument);
};

/** A packument of an upstream in the form that a client wants. */
export const upstreamPackument = (
  { remoteRepositoryUrl }: Pick<RemoteRepository, 'remoteRepositoryUrl'>,
  name: string,
  form: ManifestForm,
): UpstreamDocument<KeptPackument> => {
  // As npm sends it. No other character of a name needs to be encoded.
  const url = urlBelow(remoteRepositoryUrl, name.replace('/', '%2f'));
  return {
    ...packumentName(name, form),
    url,
    accept: accepted[form],
    condense: (sent) => packPackument(parseUpstreamPackument(sent, { name, url, wanted: form }), form),
    parse: unpackPackument,
    releases: releasesOf(form),
    // The full form may be asked for the first time when the other one shows something new.
    ...(form === 'full' && { otherCopy: abbreviatedCopy }),
  };
};

/** The times of a full packument. What it does not have yet is newer than it. */
const withTimesOf = (short: PackageIndex, full: PackageIndex | undefined): PackageIndex => {
  const times = new Map(Array.from(full?.entries ?? [], (entry) => [entry.version, timeOf(entry)]));
  const now = new Date().toISOString();
  const timed = (entry: IndexEntry): IndexEntry =>
    timeOf(entry) === undefined ? withTime(entry, times.has(entry.version) ? times.get(entry.version) : now) : entry;
  return { ...short, entries: Array.from(short.entries, timed) };
};

/**
 * Whether the last change of a package is so old that all of it passes; not if the upstream does not say when that was. An earlier release
 * kept no times with the document.
 */
const isOld = async (open: OpenGate, { times, read }: LoadedDocument<PackageIndex>): Promise<boolean> => {
  if (!open.gate) return true;
  const known = times ?? releaseTimesOf(releasesOf('abbreviated')(await read()), undefined, open.now);
  return known.isTimed && allPass(open, known);
};

/**
 * The abbreviated packument with the times of the full one, which is larger: it is asked for only if the package changed so lately that
 * something may be held back.
 */
export const timedPackument = (
  source: RemoteRepository,
  name: string,
  open: OpenGate,
): UpstreamDocuments<PackageIndex> => {
  const [short, full] = [upstreamPackument(source, name, 'abbreviated'), upstreamPackument(source, name, 'full')];
  return {
    keys: documentKeys(source, short),
    load: async (request) => {
      const found = await loadDocument(request, source, short);
      if (!found || (await isOld(open, found))) return found;
      const timed = await loadDocument(request, source, full);
      const read = async () => withTimesOf(await found.read(), await timed?.read());
      // Each of the two may be newer than the other.
      const times = { seen: {}, ...timed?.times, newest: open.now, isTimed: false };
      return { ...found, times, read };
    },
  };
};

/** What an upstream says of a version. What only the abbreviated form has is newer than the full one. */
export const releaseOf: ReleaseOf = async (request, source, { name, version }) => {
  const open = gateFor(source, name);
  const short = upstreamPackument(source, name, 'abbreviated');
  const found = await loadDocument(request, source, short);
  const releases = found && releasesOf('abbreviated')(await found.read());
  const listed = releases?.find(({ id }) => id === version);
  if (found && listed && open && (await isOld(open, found))) return listed;
  const own = await releaseById(request, source, upstreamPackument(source, name, 'full'), version);
  return own ?? (listed && { ...listed, publishedAt: open?.now });
};

/** The same by the name and the version alone. */
export const versionReleases = onePerVersion(releaseOf);

/** What an upstream says of all versions of a package. */
export const packageReleases: PackageReleases = async (request, source, name) => {
  const open = wholeGateFor(source, name);
  const loaded = await timedPackument(source, name, open).load(request, source);
  return listedReleases(loaded, releasesOf(loaded && (await isOld(open, loaded)) ? 'abbreviated' : 'full'));
};

/** The URL of a tarball at an upstream, taken from the packument: it may be on any host and have any path. */
export const locateTarball = async (
  request: FetchRequest,
  source: RemoteRepository,
  { name, version, file }: FileAddress,
): Promise<UpstreamFile | undefined> => {
  if (file !== tarballFile(name, version)) return undefined;
  const loaded = await loadNewest(request, source, name);
  const tarball = (await loaded?.read())?.tarballOf(version);
  return tarball && upstreamFile(tarball);
};

const forms = ['abbreviated', 'full'] as const;

/** The keys of the items that say where the tarballs of a package are. */
export const tarballLocationKeys = (source: RemoteRepository, { name }: Pick<FileAddress, 'name'>): readonly Key[] => {
  const ref = { contentId: contentIdOf(source), name };
  return forms
    .map((form) => packumentName(name, form))
    .flatMap((each) => documentKeys(source, each).concat(documentFetchKey(ref, each.document)));
};

/** Loads the form that the upstream sent or confirmed last, because both have the tarballs. Some clients ask for only one form. */
const loadNewest = async (
  request: FetchRequest,
  source: RemoteRepository,
  name: string,
): Promise<LoadedDocument<KeptPackument> | undefined> => {
  const ref = { contentId: contentIdOf(source), name };
  const documents = forms.map((form) => upstreamPackument(source, name, form));
  const read = await request.table.read(tarballLocationKeys(source, { name }), request.read);
  const confirmedAt = ({ document }: UpstreamDocument<KeptPackument>): number => {
    const { blob, copy } = read.find(cachedDocumentKey(ref, document)) ?? {};
    const { staged } = read.find(documentFetchKey(ref, document)) ?? {};
    return Math.max((blob && copy?.checkedAt) ?? 0, (staged?.stagingKey && staged.copy.checkedAt) || 0);
  };
  const [newest] = documents.toSorted((one, other) => confirmedAt(other) - confirmedAt(one));
  return newest && loadDocument(request, source, newest, read);
};

const upstreamFile = ({ url, size, ...promised }: UpstreamTarball): UpstreamFile => ({
  url,
  mediaType: fileMediaType,
  form: 'gzip',
  expected: { ...(size !== undefined && { size }), ...strongest(hashesOfDist(promised)) },
});

const algorithms = ['sha512', 'sha256', 'sha1'] as const;

/**
 * The hash of the strongest algorithm, as npm checks it. An algorithm with several hashes is skipped, because any of them
 * may be the right one.
 */
const strongest = (listed: readonly ListedHash[]): UpstreamFile['expected'] => {
  for (const algorithm of algorithms) {
    const [hash, ...others] = new Set(listed.filter((each) => each.algorithm === algorithm).map(({ hex }) => hex));
    if (hash !== undefined && others.length === 0) return { [algorithm]: hash };
  }
  return {};
};
