import type { PermissionLevel } from '../../shared/access.ts';
import { chunksOf } from '../../shared/chunks.ts';
import { grantKeys, levelsIn } from '../../shared/table/identity/grant-shards.ts';
import { type Grant, grant } from '../../shared/table/identity/grants.ts';
import { grantShardsList, membershipKey } from '../../shared/table/keys.ts';
import { inTable } from './retry.ts';

/** Any number of grants of a member at once: a request would grant a hundred. */
export const insertGrants = async (workspaceId: string, userId: string, grants: readonly Grant[]): Promise<void> => {
  // The record of a change names each of them, and has at most 400 KiB.
  for (const some of chunksOf(grants, 1_500)) {
    const ids = some.map(({ repositoryId }) => repositoryId);
    const keys = [membershipKey(workspaceId, userId), ...grantKeys(workspaceId, userId, ids)];
    const outcome = await inTable(async (table) => grant(table, workspaceId, userId, some, await table.read(keys)));
    if (typeof outcome === 'string') throw new Error(outcome);
  }
};

/** The levels of a member as they are stored, in the membership or in shards; it counts those in shards. */
export const storedLevels = async (
  workspaceId: string,
  userId: string,
): Promise<ReadonlyMap<string, PermissionLevel>> =>
  inTable(async (table) => {
    const key = membershipKey(workspaceId, userId);
    const { items } = await table.query(grantShardsList(workspaceId, userId));
    const inShards = items.flatMap(({ item }) => Array.from(levelsIn(item)));
    const membership = (await table.read([key])).find(key);
    const { grants = {}, grantCount = 0 } = membership ?? {};
    if (grantCount !== inShards.length)
      throw new Error(`${grantCount} grants are counted, and ${inShards.length} there.`);
    if (grantCount > 0 && Object.keys(grants).length > 0)
      throw new Error('Grants are in the membership and in shards.');
    return new Map([...inShards, ...Object.entries(grants)]);
  });
