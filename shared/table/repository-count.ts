import type { IdentityMap } from './identity-map.ts';
import { type Key, repositoryCountKey } from './keys.ts';
import { insertion, type Write } from './writes.ts';

/** One shard of the count, as stored. */
export interface RepositoryCount {
  readonly repositoryCount: number;
}

/**
 * The number of repositories of a workspace, kept in shards so that parallel creates rarely meet on one item. It stands and
 * falls with the workspace: while there are shards there is a workspace, and it is removed only when all are zero. A workspace stores how many
 * shards it was made with, so that this number may change.
 */
export const initialShards = 8;

/** The keys of all shards of a workspace's count. */
export const repositoryCountKeys = (workspaceId: string, shards = initialShards): Key<RepositoryCount>[] =>
  Array.from({ length: shards }, (_, shard) => repositoryCountKey(workspaceId, shard));

/** Begins the count of a new workspace. */
export const startRepositoryCount = (workspaceId: string): Write[] =>
  repositoryCountKeys(workspaceId).map((key) => insertion(key, { repositoryCount: 0 }));

/** Moves the count in the transaction that creates or removes a repository; refused once the workspace is gone. */
export const countRepositories = (workspaceId: string, shard: number, change: 1 | -1): Write => ({
  update: repositoryCountKey(workspaceId, shard),
  set: 'ADD #repositoryCount :change',
  if: 'attribute_exists(pk)',
  values: { ':change': change },
});

/** Ends the count in the transaction that removes a workspace; refused while there are repositories. */
export const endRepositoryCount = (workspaceId: string, shards: number): Write[] =>
  repositoryCountKeys(workspaceId, shards).map((key) => ({
    remove: key,
    if: '#repositoryCount = :none',
    values: { ':none': 0 },
  }));

/** The number of repositories, of the shards that a read found. */
export const repositoryCountOf = (workspaceId: string, shards: number, loaded: IdentityMap): number =>
  repositoryCountKeys(workspaceId, shards).reduce((sum, key) => sum + (loaded.find(key)?.repositoryCount ?? 0), 0);
