import type { Table } from '../table/client.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import { fileKey, type Key, packageHeadKey } from '../table/keys.ts';
import type { PackageFile } from '../table/packages.ts';
import { contentIdOf, type LocalRepository, type RemoteRepository } from '../table/repositories.ts';
import { isListed, type Source, type Sources } from './sources.ts';

/** A file of a package: its name is the type's normalised one. */
export interface FileAddress {
  readonly name: string;
  readonly version: string;
  readonly file: string;
}

const isLocal = (source: Source): source is LocalRepository => source.repositoryType === 'local';
const isRemote = (source: Source): source is RemoteRepository => source.repositoryType === 'remote';

const refIn = (source: Source, name: string) => ({ contentId: contentIdOf(source), name });

/** What says which sources hold a name, or ever held it. */
export const headKeys = ({ all }: Sources, name: string): Key[] =>
  all.filter(isLocal).map((source) => packageHeadKey(refIn(source, name)));

/**
 * The sources that may answer for a name, in order. A name that a local source holds, or ever held, is answered by local sources
 * alone, so that nobody can put a package of this name before ours; unless it is listed as allowed. A blocked name never goes
 * upstream.
 */
export const answeringSources = (sources: Sources, name: string, loaded: IdentityMap): readonly Source[] =>
  sourcesByRules(sources, name, (source) => loaded.find(packageHeadKey(refIn(source, name))) !== undefined);

/** The same, where `holds` says whether a source holds the name, or ever held it. */
export const sourcesByRules = (
  { all, upstreamNames }: Sources,
  name: string,
  holds: (source: Source) => boolean,
): readonly Source[] => {
  const locals = all.filter(isLocal);
  if (isListed(name, upstreamNames.block)) return locals;
  return locals.some(holds) && !isListed(name, upstreamNames.allow) ? locals : all;
};

/** Where a file was found: as an item, or perhaps at the upstream of a remote source. */
export interface FoundFile {
  readonly source: Source;
  readonly file: PackageFile | undefined;
}

/** The keys that say where a file is: all of one read. */
export const fileKeys = (sources: Sources, { name, version, file }: FileAddress): Key[] => [
  ...headKeys(sources, name),
  ...sources.all.map((source) => fileKey(refIn(source, name), version, file)),
];

/** Where to look for a file, best first; what a remote source has may be stale, and its upstream may have it no more. */
export const placesOf = (sources: Sources, address: FileAddress, loaded: IdentityMap): readonly FoundFile[] => {
  const places: FoundFile[] = [];
  for (const source of answeringSources(sources, address.name, loaded)) {
    const file = loaded.find(fileKey(refIn(source, address.name), address.version, address.file));
    const live = file?.deletedAt === undefined ? file : undefined;
    if (isRemote(source)) places.push({ source, file: live });
    else if (live) return [...places, { source, file: live }];
  }
  return places;
};

/** Reads where a file may be. */
export const findPlaces = async (
  table: Table,
  sources: Sources,
  address: FileAddress,
  loaded: IdentityMap,
): Promise<readonly FoundFile[]> => {
  const keys = fileKeys(sources, address);
  const isRead = keys.every((key) => loaded.hasRead(key));
  return placesOf(sources, address, isRead ? loaded : await table.read(keys));
};
