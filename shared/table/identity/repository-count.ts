import type { IdentityMap } from '../identity-map.ts';
import { type Key, repositoryCountKey } from '../keys.ts';
import { insertion, type Write } from '../writes.ts';

/** One shard of the count, as stored. */
export interface RepositoryCount {
  readonly repositoryCount: number;
}

/**
 * The number of shards for a new workspace. Shards keep the number of its repositories, so that parallel creations
 * rarely change the same item. They exist as long as the workspace does, which can be removed only if all are zero. A
 * workspace stores its own number of shards, so that this one can change.
 */
export const initialShards = 8;

/** The keys of all shards of a workspace's count. */
export const repositoryCountKeys = (workspaceId: string, shards = initialShards): Key<RepositoryCount>[] =>
  Array.from({ length: shards }, (_, shard) => repositoryCountKey(workspaceId, shard));

/** Creates the shards of a new workspace. */
export const startRepositoryCount = (workspaceId: string): Write[] =>
  repositoryCountKeys(workspaceId).map((key) => insertion(key, { repositoryCount: 0 }));

/** Changes a shard in the transaction that creates or removes a repository. It fails if the workspace is gone. */
export const countRepositories = (workspaceId: string, shard: number, change: 1 | -1): Write => ({
  update: repositoryCountKey(workspaceId, shard),
  set: 'ADD #repositoryCount :change',
  if: 'attribute_exists(pk)',
  values: { ':change': change },
});

/** Removes the shards in the transaction that removes a workspace. It fails if there are repositories. */
export const endRepositoryCount = (workspaceId: string, shards: number): Write[] =>
  repositoryCountKeys(workspaceId, shards).map((key) => ({
    remove: key,
    if: '#repositoryCount = :none',
    values: { ':none': 0 },
  }));

/** The number of repositories: the sum of the shards that were read. */
export const repositoryCountOf = (workspaceId: string, shards: number, loaded: IdentityMap): number =>
  repositoryCountKeys(workspaceId, shards).reduce((sum, key) => sum + (loaded.find(key)?.repositoryCount ?? 0), 0);
