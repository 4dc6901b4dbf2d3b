import type { UpstreamDocuments } from '../../shared/packages/fetch/joined-documents.ts';
import {
  documentKeys,
  type LoadedDocument,
  loadDocument,
  type UpstreamDocument,
} from '../../shared/packages/fetch/remote-documents.ts';
import { askedRelease, datedList } from '../../shared/packages/gate/dated-lists.ts';
import type { ReleaseOf } from '../../shared/packages/gate/gated-file.ts';
import type { IndexGate } from '../../shared/packages/gate/gated-index.ts';
import { listedReleases, onePerVersion, type PackageReleases } from '../../shared/packages/gate/version-releases.ts';
import type { Release } from '../../shared/packages/releases/gate-of.ts';
import { joinTimes } from '../../shared/packages/releases/release-times.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { firstSeen, type ReleaseTimes } from '../../shared/table/packages/release-times.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { upstreamInfo, upstreamList } from './upstream-documents.ts';
import type { VersionInfo } from './version-info.ts';
import { compareVersions, isIncompatible, isPseudoVersion } from './versions.ts';

/** The times of what nobody has seen new. */
const unseen: ReleaseTimes = { newest: 0, isTimed: false, seen: {} };

/**
 * What a document about a version says of it beside the list. It counts no earlier than it was first seen, because authors write the times of
 * commits as they like, and no earlier than the time that its document had.
 */
const releaseOfInfo = async (
  { read, times }: LoadedDocument<VersionInfo>,
  list: ReleaseTimes | undefined,
): Promise<Release> => {
  const { version, committedAt } = await read();
  if (committedAt === undefined) {
    const seenAt = Math.max(firstSeen(times, version) ?? 0, firstSeen(list, version) ?? 0);
    return { id: version, version, seenAt };
  }
  const seenAt = firstSeen(joinTimes([times ?? unseen, list ?? unseen]), version) ?? 0;
  return { id: version, version, publishedAt: Math.max(committedAt, seenAt) };
};

/** The versions of a module at an upstream, for a gate with their times. */
export const datedVersions = (source: RemoteRepository, name: string): UpstreamDocuments<readonly string[]> => {
  const document = upstreamList(source, name);
  return {
    keys: documentKeys(source, document),
    load: async (request) => {
      const loaded = await loadDocument(request, source, document);
      if (!loaded || !source.releaseGate) return loaded;
      const versions = (await loaded.read()).toSorted((one, other) => compareVersions(other, one));
      return datedList(loaded, versions, async (version) => {
        const info = await loadDocument(request, source, upstreamInfo(source, name, version));
        return info && releaseOfInfo(info, loaded.times);
      });
    },
  };
};

/** The versions in the list of a module, which says no times. */
const untimedReleases = (versions: readonly string[]): readonly Release[] =>
  versions.map((version) => ({ id: version, version }));

/** How the list of a module loses what a gate holds back. */
export const listGate: IndexGate<readonly string[]> = {
  releases: untimedReleases,
  without: (versions, held) => versions.filter((version) => !held.has(version)),
};

/** A list that lacks a version that somebody asks for is asked for again if it is older than this. */
const agedMilliseconds = 60_000;

/** Whether the list of a module has a version as soon as it is published: it need not have a pseudo-version, and some leave `+incompatible` out. */
const isAlwaysListed = (version: string): boolean => !isPseudoVersion(version) && !isIncompatible(version);

/** What the list of a module says of a version. One that lacks it may only be old. */
const listTimes = async (
  request: FetchRequest,
  source: RemoteRepository,
  name: string,
  version: string,
): Promise<{ readonly times?: ReleaseTimes | undefined; readonly lacksIt: boolean }> => {
  const load = async (from: RemoteRepository) => {
    const list = await loadDocument(request, from, upstreamList(source, name));
    const lacksIt = isAlwaysListed(version) && !(await list?.read())?.includes(version);
    return { cache: list?.cache, times: list?.times, lacksIt };
  };
  const kept = await load(source);
  if (!kept.lacksIt || kept.cache !== 'hit') return kept;
  const lifetime = Math.min(source.metadataCacheTimeTillRevalidation ?? agedMilliseconds, agedMilliseconds);
  return load({ ...source, metadataCacheTimeTillRevalidation: lifetime });
};

const datedInfo = async (
  request: FetchRequest,
  source: RemoteRepository,
  name: string,
  info: LoadedDocument<VersionInfo>,
): Promise<LoadedDocument<VersionInfo>> => {
  const { version } = await info.read();
  const list = await listTimes(request, source, name, version);
  // It is new, whatever its author says, as long as the list does not have it.
  if (list.lacksIt) return { ...info, releases: [askedRelease(version, Date.now(), undefined)] };
  return { ...info, releases: [await releaseOfInfo(info, list.times)] };
};

/** What an upstream says of a version, or of a name that stands for one, for a gate with its time. */
export const datedVersion = (
  source: RemoteRepository,
  document: UpstreamDocument<VersionInfo>,
): UpstreamDocuments<VersionInfo> => ({
  keys: documentKeys(source, document),
  load: async (request) => {
    const loaded = await loadDocument(request, source, document);
    return loaded && source.releaseGate ? datedInfo(request, source, document.name, loaded) : loaded;
  },
});

/** A version that a gate holds back is none. */
export const infoGate: IndexGate<VersionInfo | string | undefined> = {
  releases: (info) => (typeof info === 'object' ? [{ id: info.version, version: info.version }] : []),
  without: () => undefined,
};

/** What an upstream says of the version in a path. */
export const releaseOf: ReleaseOf = async (request, source, { name, version }) => {
  const { load } = datedVersion(source, upstreamInfo(source, name, version));
  return (await load(request, source))?.releases?.[0];
};

/** The same of a version by its name. */
export const versionReleases = onePerVersion(releaseOf);

/** What an upstream says of all versions of a module. */
export const packageReleases: PackageReleases = async (request, source, name) =>
  listedReleases(await datedVersions(source, name).load(request, source), untimedReleases);
