import type { IdentityMap } from './identity-map.ts';
import { type Key, repositoryCountKey } from './keys.ts';
import type { Write } from './writes.ts';

/**
 * The number of repositories of a workspace, kept in shares so that parallel creates rarely meet on one item. It stands and
 * falls with the workspace: while there are shares there is a workspace, and it is removed only when all are zero. A workspace notes how many
 * shares it was made with, so that this number may change.
 */
export const initialShards = 8;

/** The keys of all shares of a workspace's count. */
export const repositoryCountKeys = (workspaceId: string, shares = initialShards): Key[] =>
  Array.from({ length: shares }, (_, share) => repositoryCountKey(workspaceId, share));

/** Begins the count of a new workspace. */
export const startRepositoryCount = (workspaceId: string): Write[] =>
  repositoryCountKeys(workspaceId).map((key) => ({ insert: { ...key, repositoryCount: 0 } }));

/** Moves the count in the transaction that creates or removes a repository; refused once the workspace is gone. */
export const countRepositories = (workspaceId: string, share: number, change: 1 | -1): Write => ({
  update: repositoryCountKey(workspaceId, share),
  set: 'ADD #repositoryCount :change',
  if: 'attribute_exists(pk)',
  values: { ':change': change },
});

/** Ends the count in the transaction that removes a workspace; refused while there are repositories. */
export const endRepositoryCount = (workspaceId: string, shares: number): Write[] =>
  repositoryCountKeys(workspaceId, shares).map((key) => ({
    remove: key,
    if: '#repositoryCount = :none',
    values: { ':none': 0 },
  }));

/** The number of repositories, of the shares that a read found. */
export const repositoryCountOf = (workspaceId: string, shares: number, loaded: IdentityMap): number =>
  repositoryCountKeys(workspaceId, shares).reduce(
    (sum, key) => sum + Number(loaded.find(key)?.repositoryCount ?? 0),
    0,
  );
