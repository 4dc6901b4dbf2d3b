import type { UpstreamDocuments } from '../../shared/packages/fetch/joined-documents.ts';
import { documentKeys, loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { parseObject } from '../../shared/packages/formats/json-objects.ts';
import { askedRelease, datedList } from '../../shared/packages/gate/dated-lists.ts';
import type { ReleaseOf } from '../../shared/packages/gate/gated-file.ts';
import type { IndexGate } from '../../shared/packages/gate/gated-index.ts';
import { listedReleases, onePerVersion, type PackageReleases } from '../../shared/packages/gate/version-releases.ts';
import { cutoffOf, millisecondsOf, type Release } from '../../shared/packages/releases/gate-of.ts';
import { gateFor } from '../../shared/packages/releases/open-gate.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { cachedDocumentKey } from '../../shared/table/packages/package-keys.ts';
import { firstSeen, type ReleaseTimes } from '../../shared/table/packages/release-times.ts';
import { contentIdOf, type RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { latestElements, type MavenMetadata } from './metadata.ts';
import { isSnapshot } from './paths.ts';
import { pomUrl, upstreamMetadata } from './upstream.ts';
import { sortVersions } from './versions.ts';

/** When an upstream got the POM of a version, as the date of it says; undefined in it if it says none. HEAD is enough. */
const pomDate = (
  source: RemoteRepository,
  name: string,
  version: string,
): UpstreamDocument<{ readonly publishedAt: number | undefined }> => ({
  name,
  document: `date ${version}`,
  url: pomUrl(source, name, version),
  isInHeaders: () => true,
  condense: (_sent, { headers }) => Buffer.from(JSON.stringify({ lastModified: headers['last-modified'] })),
  parse: (kept) => ({ publishedAt: millisecondsOf(parseObject(kept, 'The date of the POM').lastModified) }),
  releases: ({ publishedAt }) => [{ id: version, version, publishedAt }],
});

/**
 * A version by the date of its POM, or by the one that this had; undefined if the upstream has no POM of it. Builds of a SNAPSHOT are all wanted
 * at once.
 */
const datedPom = async (
  request: FetchRequest,
  source: RemoteRepository,
  name: string,
  version: string,
): Promise<Release | undefined> => {
  if (isSnapshot(version)) return askedRelease(version, 0, undefined);
  const date = await loadDocument(request, source, pomDate(source, name, version));
  return date && askedRelease(version, (await date.read()).publishedAt, date.times);
};

/** Whether a POM has a date, or had one. */
const isDated = ({ publishedAt, seenAt }: Release): boolean => (publishedAt ?? seenAt) !== undefined;

/**
 * A version that metadata list, whose POM says no date: it counts from the one that the POM had before it was gone, or from when it was first seen
 * in the metadata.
 */
const listedRelease = async (
  { table }: FetchRequest,
  source: RemoteRepository,
  { name, version }: { readonly name: string; readonly version: string },
  listed: ReleaseTimes | undefined,
): Promise<Release> => {
  const key = cachedDocumentKey({ contentId: contentIdOf(source), name }, pomDate(source, name, version).document);
  const times = (await table.read([key])).find(key)?.releases;
  return askedRelease(version, undefined, firstSeen(times, version) === undefined ? listed : times);
};

/** When metadata last changed (maven.apache.org/ref/current/maven-repository-metadata, `lastUpdated`), in UTC. */
const changedAt = ({ versioning = [] }: MavenMetadata): number => {
  const { text = '' } = versioning.find(({ name }) => name === 'lastUpdated') ?? {};
  const [, date, time] = /^(\d{4}\d{2}\d{2})(\d{6})$/.exec(text) ?? [];
  const iso =
    date && time && `${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
  return millisecondsOf(iso) ?? Number.POSITIVE_INFINITY;
};

/** The metadata of an artifact at an upstream, for a gate with the times of its versions. Metadata that are old enough list nothing new. */
export const datedMetadata = (source: RemoteRepository, name: string): UpstreamDocuments<MavenMetadata> => {
  const document = upstreamMetadata(source, name);
  return {
    keys: documentKeys(source, document),
    load: async (request) => {
      const loaded = await loadDocument(request, source, document);
      const open = gateFor(source, name);
      if (!loaded || !open?.gate) return loaded;
      const metadata = await loaded.read();
      // Who publishes writes when metadata last changed.
      const newest = Math.max(changedAt(metadata), loaded.times?.newest ?? 0);
      const isOld = newest <= cutoffOf(open.gate, open.now);
      if (isOld)
        return { ...loaded, releases: metadata.versions.map((version) => askedRelease(version, 0, undefined)) };
      const versions = sortVersions(metadata.versions).toReversed();
      return datedList(loaded, versions, async (version) => {
        const pom = await datedPom(request, source, name, version);
        return pom && isDated(pom) ? pom : listedRelease(request, source, { name, version }, loaded.times);
      });
    },
  };
};

/** The elements of `versioning` for fewer versions: `latest` and `release` are the highest of those that are left. */
const repaired = (
  versioning: MavenMetadata['versioning'],
  versions: readonly string[],
): MavenMetadata['versioning'] => {
  const highest = latestElements(sortVersions(versions));
  const wanted = highest.filter(({ name }) => versioning?.some((each) => each.name === name));
  return versioning && [...wanted, ...versioning.filter(({ name }) => name !== 'latest' && name !== 'release')];
};

/** The versions that metadata list, which say no times. */
const untimedReleases = ({ versions }: MavenMetadata): readonly Release[] =>
  versions.map((version) => ({ id: version, version }));

/** How the metadata of an artifact lose what a gate holds back. */
export const metadataGate: IndexGate<MavenMetadata> = {
  releases: untimedReleases,
  without: (metadata, held) => {
    const versions = metadata.versions.filter((version) => !held.has(version));
    return { ...metadata, versions, versioning: repaired(metadata.versioning, versions) };
  },
};

/** How the metadata of a SNAPSHOT go where something blocks it: its builds are wanted at once. */
export const snapshotGate = (version: string): IndexGate<MavenMetadata | undefined> => ({
  releases: (metadata) => (metadata ? [{ id: version, version, publishedAt: 0 }] : []),
  without: () => undefined,
});

/** What an upstream says of the version in a path: its POM has the date, and metadata list a version that has none. */
export const releaseOf: ReleaseOf = async (request, source, { name, version }) => {
  const pom = await datedPom(request, source, name, version);
  if (pom && isDated(pom)) return pom;
  const loaded = await loadDocument(request, source, upstreamMetadata(source, name));
  const isListed = pom !== undefined || (await loaded?.read())?.versions.includes(version) === true;
  return isListed ? listedRelease(request, source, { name, version }, loaded?.times) : undefined;
};

/** The same of a version by its name. */
export const versionReleases = onePerVersion(releaseOf);

/** What an upstream says of all versions of an artifact. */
export const packageReleases: PackageReleases = async (request, source, name) =>
  listedReleases(await datedMetadata(source, name).load(request, source), untimedReleases);
