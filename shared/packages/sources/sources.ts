import { BoundedCache } from '../../bounded-cache.ts';
import { ApiError } from '../../errors.ts';
import type { PackageType } from '../../package-types.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import { type Key, repositoryKey, verdictsKey } from '../../table/keys.ts';
import { locate, repositoriesOf } from '../../table/locate.ts';
import {
  contentIdOf,
  type LocalRepository,
  type Repository,
  type VirtualRepository,
} from '../../table/repositories/repositories.ts';
import type { RemoteSource } from '../../table/repositories/verdicts.ts';
import { advisoryKeys } from './advisory-reads.ts';
import { isAdvised, isGated } from './type-facts.ts';

/** How many repositories a virtual one combines, directly and through others: a request reads all of them, and may ask each upstream. */
export const combinedMax = 100;

/** A repository that stores or fetches packages itself. A virtual repository does not. */
export type Source = LocalRepository | RemoteSource;

/** The rules of virtual repositories for names that may or must not be fetched from upstreams. */
export interface UpstreamNames {
  readonly allow: readonly string[];
  readonly block: readonly string[];
  /** Other names of the same package at an upstream. */
  readonly aliasesOf?: (name: string) => readonly string[];
}

/** Whether a list contains a name. An entry that ends in `*` stands for all names with this beginning. */
const isListed = (name: string, list: readonly string[]): boolean =>
  list.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry));

/** Whether the versions of a name are merged although a local child has it. */
export const isAllowed = (name: string, { allow }: UpstreamNames): boolean => isListed(name, allow);

/** Whether no upstream may be asked for a name. An entry in lower case blocks a name in whatever case. */
export const isBlocked = (name: string, { block, aliasesOf }: UpstreamNames): boolean =>
  [name, ...(aliasesOf?.(name) ?? [])].some((each) => isListed(each, block) || isListed(each.toLowerCase(), block));

/** A text that changes whenever the rules for names change: they decide about what an index contains. */
export const revisionOfRules = ({ upstreamNames: { allow, block } }: Sources): string =>
  allow.length + block.length === 0 ? '' : JSON.stringify([allow, block]);

/** The children of each virtual repository when this process last read it. The next request reads them with it. */
const knownChildren = new BoundedCache<readonly string[]>(5_000);

/** What was the content of an emptied repository when this process last looked. Of others, it is their ID. */
const knownContents = new BoundedCache<string>(5_000);

/** The repositories that were remote when this process last looked: they hold no index. */
const knownRemotes = new BoundedCache<true>(5_000);

/** The package types of repositories that were remote when this process last looked. */
const knownTypesOfRemotes = new BoundedCache<PackageType>(5_000);

/** The repository in a path and all repositories that it combines, as far as the items in `loaded` lead. */
export interface Reach {
  readonly workspaceId: string;
  readonly ids: readonly string[];
  readonly loaded: IdentityMap;
}

/** How far a request reaches. The pipeline asks again after each read. */
export const reach = (workspaceId: string, reference: string | undefined, loaded: IdentityMap): Reach => {
  const visited = new Set<string>();
  const visit = (repositoryId: string): void => {
    // Of too many, one tells enough.
    if (visited.has(repositoryId) || visited.size > 1 + combinedMax) return;
    visited.add(repositoryId);
    const key = repositoryKey(workspaceId, repositoryId);
    const repository = loaded.find(key);
    const children =
      repository?.repositoryType === 'virtual'
        ? repository.children.map(({ id }) => id)
        : loaded.hasRead(key)
          ? []
          : (knownChildren.get(repositoryId) ?? []);
    for (const child of children) visit(child);
  };
  const { at } = locate(repositoriesOf(workspaceId), reference, loaded);
  if (at !== undefined) visit(at);
  return { workspaceId, ids: [...visited], loaded };
};

/** The keys of the repository in a path and of all repositories that it combines. */
export const sourceKeys = ({ workspaceId, ids }: Reach): readonly Key[] =>
  ids.map((id) => repositoryKey(workspaceId, id));

/** The key of the verdicts on the packages of these repositories, as soon as one of them is known to be remote; none of a type without a gate. */
export const verdictKeys = ({ workspaceId, ids, loaded }: Reach): readonly Key[] =>
  ids
    .flatMap((id) => {
      const repository = loaded.find(repositoryKey(workspaceId, id));
      if (!repository) return knownTypesOfRemotes.get(id) ?? [];
      return repository.repositoryType === 'remote' ? repository.packageType : [];
    })
    // All that one repository combines have its type.
    .slice(0, 1)
    .filter(isGated)
    .map((packageType) => verdictsKey(workspaceId, packageType));

/** The repositories that had a release gate when this process last looked, by the types of their packages. */
const knownGates = new BoundedCache<PackageType>(5_000);

/** The keys of the advisories on a name, as soon as one of these repositories is known to have a gate that asks for them. */
export const advisoryKeysFor = ({ workspaceId, ids, loaded }: Reach, name: string): readonly Key[] =>
  ids.flatMap((id) => {
    const repository = loaded.find(repositoryKey(workspaceId, id));
    const packageType = knownGates.get(id);
    if (!repository) return packageType ? advisoryKeys({ packageType }, name, loaded) : [];
    return asksForAdvisories(repository) ? advisoryKeys(repository, name, loaded) : [];
  });

/** Whether a repository has a gate for a type with advisories. */
export const asksForAdvisories = (repository: Repository): repository is RemoteSource =>
  repository.repositoryType === 'remote' && Boolean(repository.releaseGate) && isAdvised(repository.packageType);

/** The contents of these repositories; of those that are not read yet, what they probably are. */
export const sourceContents = ({ workspaceId, ids, loaded }: Reach): readonly string[] =>
  ids.flatMap((id) => {
    const repository = loaded.find(repositoryKey(workspaceId, id));
    if (!repository) return knownChildren.get(id) ? [] : [knownContents.get(id) ?? id];
    if (repository.repositoryType === 'virtual') return [];
    const contentId = contentIdOf(repository);
    if (contentId !== id) knownContents.set(id, contentId);
    if (repository.repositoryType === 'remote') knownRemotes.set(contentId, true);
    return [contentId];
  });

/** What local repositories among these were emptied of and still have the names of. */
export const earlierContents = ({ workspaceId, ids, loaded }: Reach): readonly string[] =>
  ids.flatMap((id) => [...(loaded.find(repositoryKey(workspaceId, id))?.earlierContents ?? [])]);

/** Whether a content can have an index, as far as this process knows: that of a local repository can. */
export const mayHaveIndex = (contentId: string): boolean => !knownRemotes.get(contentId);

/** The sources that a request reads, in the order of resolution, each once. */
export interface Sources {
  readonly all: readonly Source[];
  readonly upstreamNames: UpstreamNames;
}

const refuseTooMany = ({ name }: Repository, count: number): void => {
  if (count <= combinedMax) return;
  const detail = `'${name}' leads to more than ${combinedMax} repositories, also through virtual ones. Take some out of its children, or out of theirs.`;
  throw new ApiError('REQUEST_INVALID', detail);
};

/** A source with the verdicts that the request has read. */
const sourceOf = (repository: Source, loaded: IdentityMap): Source => {
  if (repository.repositoryType === 'local') return repository;
  const { repositoryId, workspaceId, packageType } = repository;
  knownTypesOfRemotes.set(repositoryId, packageType);
  if (asksForAdvisories(repository)) knownGates.set(repositoryId, packageType);
  else knownGates.delete(repositoryId);
  const key = verdictsKey(workspaceId, packageType);
  return loaded.hasRead(key) ? { ...repository, verdicts: loaded.find(key)?.verdicts ?? [] } : repository;
};

/**
 * The sources of a repository: the repository itself, or those that a virtual one combines. `loaded` must have the items of
 * `sourceKeys`. Throws REQUEST_INVALID if there are too many.
 */
export const sourcesOf = (repository: Repository, loaded: IdentityMap): Sources => {
  const found = new Map<string, Source>();
  const virtuals = new Map<string, VirtualRepository>();
  const visit = (each: Repository | undefined): void => {
    if (!each) return;
    if (each.repositoryType !== 'virtual') {
      if (!found.has(each.repositoryId)) found.set(each.repositoryId, sourceOf(each, loaded));
      return;
    }
    if (virtuals.has(each.repositoryId)) return;
    virtuals.set(each.repositoryId, each);
    const ids = each.children.map(({ id }) => id);
    knownChildren.set(each.repositoryId, ids);
    for (const id of ids) visit(loaded.find(repositoryKey(each.workspaceId, id)));
  };
  visit(repository);
  refuseTooMany(repository, found.size + virtuals.size - 1);
  const addressed = repository.repositoryType === 'virtual' ? repository.upstreamNames : undefined;
  return {
    all: [...found.values()],
    upstreamNames: {
      // A child cannot open what its parent leaves closed: it may not know all that the parent holds.
      allow: addressed?.allow ?? [],
      block: Array.from(virtuals.values()).flatMap(({ upstreamNames }) => upstreamNames?.block ?? []),
    },
  };
};
