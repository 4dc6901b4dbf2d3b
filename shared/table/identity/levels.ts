import type { PermissionLevel } from '../../access.ts';
import { BoundedCache } from '../../bounded-cache.ts';
import type { Table } from '../client.ts';
import type { IdentityMap } from '../identity-map.ts';
import { grantShardKey, grantShardsList, type Key, keyText, membershipKey, membersList } from '../keys.ts';
import { listPage, type PageRequest } from '../lists.ts';
import { grantKeys, levelIn, levelsIn, shardOf } from './grant-shards.ts';
import type { Membership } from './memberships.ts';

/** The number of a member's grants. Those on deleted repositories count until the sweeper has removed them. */
export const grantCountOf = ({ grantCount = 0, grants }: Membership): number => grantCount + Object.keys(grants).length;

/** The members whose grants this process last found in shards: the next request reads the shard beside the membership. */
const shardedMembers = new BoundedCache<boolean>(5_000);

/** Whether the grants of a member are in shards. */
export const isSharded = ({ grantCount = 0 }: Membership): boolean => grantCount > 0;

/** The keys of the items that say what level a member has on a repository, as far as the items in `loaded` lead. */
export const levelKeys = (
  workspaceId: string,
  userId: string,
  repositoryId: string,
  loaded: IdentityMap,
): readonly Key[] => {
  const key = membershipKey(workspaceId, userId);
  const membership = loaded.find(key);
  const text = keyText(key);
  if (membership) shardedMembers.set(text, isSharded(membership));
  return [key, ...(shardedMembers.get(text) ? grantKeys(workspaceId, userId, [repositoryId]) : [])];
};

/** The level that a member has on a repository, if any. `loaded` has the items of `levelKeys`. */
export const levelOn = (
  workspaceId: string,
  membership: Membership | undefined,
  repositoryId: string,
  loaded: IdentityMap,
): PermissionLevel | undefined => {
  if (membership?.role !== 'member') return undefined;
  const key = grantShardKey(workspaceId, membership.userId, shardOf(repositoryId));
  return membership.grants[repositoryId] ?? levelIn(loaded.find(key), repositoryId);
};

/** Reads the IDs of all repositories that a member has a level on, in no order. */
export const readGrantedIds = async (table: Table, workspaceId: string, membership: Membership): Promise<string[]> => {
  const { userId, grants } = membership;
  if (!isSharded(membership)) return Object.keys(grants);
  const { items } = await table.query(grantShardsList(workspaceId, userId));
  return [...new Set([...Object.keys(grants), ...items.flatMap(({ item }) => Array.from(levelsIn(item).keys()))])];
};

/** A member with a level on a repository. */
interface Holder extends Pick<Membership, 'userId' | 'username'> {
  readonly level: PermissionLevel;
}

/** Lists the members with a level on a repository, by username. */
export const listHolders = <R>(
  table: Table,
  workspaceId: string,
  repositoryId: string,
  page: PageRequest,
  turn: (holder: Holder) => R,
) =>
  listPage(table, membersList(workspaceId), page, async (entries) => {
    const found = await table.read(
      entries.flatMap(({ id }) => [membershipKey(workspaceId, id), ...grantKeys(workspaceId, id, [repositoryId])]),
    );
    return entries.map(({ id }) => {
      const membership = found.find(membershipKey(workspaceId, id));
      const level = levelOn(workspaceId, membership, repositoryId, found);
      return membership && level && turn({ userId: id, username: membership.username, level });
    });
  });
