import { BoundedCache } from '../bounded-cache.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import { type Key, repositoryKey } from '../table/keys.ts';
import { locate, repositoriesOf } from '../table/locate.ts';
import type { LocalRepository, RemoteRepository, Repository, VirtualRepository } from '../table/repositories.ts';

/** A repository that holds or fetches packages itself. */
export type Source = LocalRepository | RemoteRepository;

/** What virtual repositories may ask upstream, on the way from the address to a source. */
export interface UpstreamNames {
  readonly allow: readonly string[];
  readonly block: readonly string[];
}

/** Whether a name is one of those listed: itself, or a prefix that ends in `*`. */
export const isListed = (name: string, list: readonly string[]): boolean =>
  list.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry));

/** What each virtual repository listed when this process last looked: its first read asks for these at once. */
const knownChildren = new BoundedCache<readonly string[]>(5_000);

/**
 * The keys of all repositories that a request reads through, given the one in its path: asked again with what was read, it leads
 * from virtual repositories to their children.
 */
export const sourceKeys = (workspaceId: string, reference: string | undefined, loaded: IdentityMap): readonly Key[] => {
  const keys: Key[] = [];
  const visited = new Set<string>();
  const visit = (repositoryId: string): void => {
    if (visited.has(repositoryId)) return;
    visited.add(repositoryId);
    const key = repositoryKey(workspaceId, repositoryId);
    keys.push(key);
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
  return keys;
};

/** What a request reads from: the sources in the order of resolution, each once. */
export interface Sources {
  readonly all: readonly Source[];
  readonly upstreamNames: UpstreamNames;
}

/** The sources of a repository, once their keys were read: itself, or what it combines. */
export const sourcesOf = (repository: Repository, loaded: IdentityMap): Sources => {
  const found = new Map<string, Source>();
  const virtuals = new Map<string, VirtualRepository>();
  const visit = (each: Repository | undefined): void => {
    if (!each) return;
    if (each.repositoryType !== 'virtual') {
      if (!found.has(each.repositoryId)) found.set(each.repositoryId, each);
      return;
    }
    if (virtuals.has(each.repositoryId)) return;
    virtuals.set(each.repositoryId, each);
    const ids = each.children.map(({ id }) => id);
    knownChildren.set(each.repositoryId, ids);
    for (const id of ids) visit(loaded.find(repositoryKey(each.workspaceId, id)));
  };
  visit(repository);
  const rules = [...virtuals.values()].flatMap(({ upstreamNames }) => upstreamNames ?? []);
  return {
    all: [...found.values()],
    upstreamNames: {
      allow: rules.flatMap(({ allow }) => allow),
      block: rules.flatMap(({ block }) => block),
    },
  };
};
