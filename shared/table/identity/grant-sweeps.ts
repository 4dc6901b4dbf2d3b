import { chunksOf } from '../../chunks.ts';
import type { Table } from '../client.ts';
import { grantShardsList, grantSweepKey, grantSweepsList, membershipsList } from '../keys.ts';
import { insertion, type Write } from '../writes.ts';
import { levelsIn } from './grant-shards.ts';

/** Deleted repositories of one workspace. */
export interface PendingGrantSweep {
  readonly workspaceId: string;
  readonly repositories: readonly { readonly repositoryId: string; readonly deletedAt: string }[];
}

/** A request that found the repository has ended after this time, so it can no longer grant a level on it. */
const requestMilliseconds = 30_000;

/** The number of repositories for which one run over the grants of a workspace removes those on them. */
const repositoriesMax = 1_000;

/** The number of shards that one step looks at, and that of memberships, which hold less. */
const shardsPerStep = 32;
const membershipsPerStep = 200;

const writesMax = 100;

/** Queues the grants on a repository for removal. It is part of the transaction that deletes the repository. */
export const leaveGrants = (workspaceId: string, repositoryId: string): Write =>
  insertion(grantSweepKey(new Date().toISOString(), workspaceId, repositoryId), {});

/** The repositories that were deleted first, by workspace. */
export const listGrantSweeps = async (table: Table): Promise<PendingGrantSweep[]> => {
  const { items } = await table.query(grantSweepsList, { limit: repositoriesMax });
  const settledAt = new Date(Date.now() - requestMilliseconds).toISOString();
  const entries = items
    .map(({ position }) => {
      const [deletedAt = '', workspaceId = '', repositoryId = ''] = position.split('#');
      return { deletedAt, workspaceId, repositoryId };
    })
    .filter(({ deletedAt }) => deletedAt <= settledAt);
  return [...Map.groupBy(entries, ({ workspaceId }) => workspaceId)].map(([workspaceId, repositories]) => ({
    workspaceId,
    repositories,
  }));
};

/** A member, and the deleted repositories on which the member has grants. */
interface InertGrants {
  readonly userId: string;
  readonly repositoryIds: readonly string[];
}

/** Where a search for grants goes on: first in the shards of a workspace, then in its memberships. */
export interface GrantSearch {
  readonly among: 'shards' | 'memberships';
  readonly after: string | undefined;
}

/** The IDs of repositories that some members have grants on, and where to go on. */
const readGranted = async (
  table: Table,
  workspaceId: string,
  { among, after }: GrantSearch,
): Promise<{ readonly granted: readonly InertGrants[]; readonly next: GrantSearch | undefined }> => {
  if (among === 'shards') {
    const { items, next } = await table.query(grantShardsList(workspaceId), { after, limit: shardsPerStep });
    const granted = items.map(({ position, item }) => {
      const [userId = ''] = position.split('#');
      return { userId, repositoryIds: [...levelsIn(item).keys()] };
    });
    return { granted, next: next === undefined ? { among: 'memberships', after: undefined } : { among, after: next } };
  }
  const { items, next } = await table.query(membershipsList(workspaceId), { after, limit: membershipsPerStep });
  const granted = items.map(({ item: { userId, grants } }) => ({ userId, repositoryIds: Object.keys(grants) }));
  return { granted, next: next === undefined ? undefined : { among, after: next } };
};

/** Finds some of the grants on deleted repositories of a workspace. `next` is where the next step goes on; it is undefined at the end. */
export const findInertGrants = async (
  table: Table,
  { workspaceId, repositories }: PendingGrantSweep,
  search: GrantSearch = { among: 'shards', after: undefined },
): Promise<{ readonly found: readonly InertGrants[]; readonly next: GrantSearch | undefined }> => {
  const { granted, next } = await readGranted(table, workspaceId, search);
  const deleted = new Set(repositories.map(({ repositoryId }) => repositoryId));
  const inert = granted.flatMap(({ userId, repositoryIds }) =>
    repositoryIds.filter((id) => deleted.has(id)).map((id) => ({ userId, id })),
  );
  const found = [...Map.groupBy(inert, ({ userId }) => userId)].map(([userId, grants]) => ({
    userId,
    repositoryIds: grants.map(({ id }) => id),
  }));
  return { found, next };
};

/** Removes repositories from the queue, once there are no grants on them. */
export const forgetRepositories = async (
  table: Table,
  { workspaceId, repositories }: PendingGrantSweep,
): Promise<void> => {
  for (const some of chunksOf(repositories, writesMax))
    await table.writeUnrecorded(
      some.map(({ deletedAt, repositoryId }) => ({ remove: grantSweepKey(deletedAt, workspaceId, repositoryId) })),
    );
};
