import type { Table } from '../../table/client.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import { fileKey, packageHeadKey } from '../../table/packages/package-keys.ts';
import { isLive, type PackageFile, type PackageHead, wasPublished } from '../../table/packages/packages.ts';
import { contentIdOf, type LocalRepository } from '../../table/repositories/repositories.ts';
import type { RemoteSource } from '../../table/repositories/verdicts.ts';
import { isAllowed, isBlocked, type Source, type Sources } from './sources.ts';

/** The address of a file. `name` is that of the package, normalised by the rules of its type. */
export interface FileAddress {
  readonly name: string;
  readonly version: string;
  readonly file: string;
}

/** Whether a source is a local repository. */
export const isLocal = (source: Source): source is LocalRepository => source.repositoryType === 'local';

/** Whether a source is a remote repository. */
export const isRemote = (source: Source): source is RemoteSource => source.repositoryType === 'remote';

const refIn = (source: Source, name: string) => ({ contentId: contentIdOf(source), name });

/** The keys of the items that say whether a local source has, or ever had, a package of this name. */
const holdingKeys = (source: LocalRepository, name: string): readonly Key<PackageHead>[] =>
  [contentIdOf(source), ...(source.earlierContents ?? [])].map((contentId) => packageHeadKey({ contentId, name }));

/** The same of all local sources. */
export const headKeys = ({ all }: Sources, name: string): Key[] =>
  all.filter(isLocal).flatMap((source) => holdingKeys(source, name));

/** Whether a source is local and has a name, or ever had it, by the items of `headKeys`. */
const holdsName = (source: Source, name: string, loaded: IdentityMap): boolean =>
  isLocal(source) && holdingKeys(source, name).some((key) => wasPublished(loaded.find(key)));

/**
 * The sources that may answer for a name, in order. If a local source has the name, or ever had it, only local sources
 * answer, so that a package of the same name at an upstream cannot replace it (dependency confusion). A name in `allow` is an
 * exception. For a name in `block`, no upstream is asked.
 */
export const answeringSources = (sources: Sources, name: string, loaded: IdentityMap): readonly Source[] =>
  sourcesByRules(sources, name, (source) => holdsName(source, name, loaded));

/** As `answeringSources`. `holds` returns whether a source has the name, or ever had it. */
export const sourcesByRules = (
  { all, upstreamNames }: Sources,
  name: string,
  holds: (source: Source) => boolean,
): readonly Source[] => {
  const locals = all.filter(isLocal);
  if (isBlocked(name, upstreamNames)) return locals;
  return locals.some(holds) && !isAllowed(name, upstreamNames) ? locals : all;
};

/** A source that has a file, or a remote source whose upstream may have it. */
export interface FoundFile {
  readonly source: Source;
  readonly file: PackageFile | undefined;
}

/** The keys of `answeringSources`: who answers alone answers whatever it holds, so none is read. */
export const holderKeys = (sources: Sources, name: string): Key[] =>
  sources.all.length > 1 ? headKeys(sources, name) : [];

/** The keys that say in which of the sources a file is. One read returns all of them. */
const fileKeys = (sources: Sources, { name, version, file }: FileAddress): Key[] => [
  ...holderKeys(sources, name),
  ...sources.all.map((source) => fileKey(refIn(source, name), version, file)),
];

/** What the sources have under an address, the best first: remote ones may have it. The list ends at the first local source that has the file. */
const foundFiles = (sources: Sources, address: FileAddress, loaded: IdentityMap): readonly FoundFile[] => {
  const files: FoundFile[] = [];
  for (const source of answeringSources(sources, address.name, loaded)) {
    const file = loaded.find(fileKey(refIn(source, address.name), address.version, address.file));
    const live = isLive(file) ? file : undefined;
    if (isRemote(source)) files.push({ source, file: live });
    else if (live) return [...files, { source, file: live }];
  }
  return files;
};

/** As `foundFiles`. It reads the items, unless `loaded` has all of them. */
export const findFiles = async (
  table: Table,
  sources: Sources,
  address: FileAddress,
  loaded: IdentityMap,
): Promise<readonly FoundFile[]> => {
  const keys = fileKeys(sources, address);
  const isRead = keys.every((key) => loaded.hasRead(key));
  return foundFiles(sources, address, isRead ? loaded : await table.read(keys));
};
