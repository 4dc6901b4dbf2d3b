import type { PermissionLevel } from '../../access.ts';
import type { Change } from '../changes.ts';
import type { Table } from '../client.ts';
import type { IdentityMap } from '../identity-map.ts';
import { grantShardKey, type Key, membershipKey } from '../keys.ts';
import { untilSettled } from '../races.ts';
import { insertion, replacement, type Update, type Write } from '../writes.ts';
import { accessChanged } from './access-version.ts';
import { grantKeys, type Levels, levelsIn, shardFrom, shardOf } from './grant-shards.ts';
import { isSharded, levelOn } from './levels.ts';
import type { Membership } from './memberships.ts';

/** The maximum number of grants of one member in a workspace. */
export const grantsMax = 7_500;

/** So many grants stand in the membership itself, which is read in any case; of a member with more, they are in shards. */
export const inlineGrantsMax = 40;

/** Three read units hold as many. Random IDs never fill a shard like this; IDs that somebody chose from many might. */
const shardGrantsMax = 700;

/** A level on one repository. */
export interface Grant {
  readonly repositoryId: string;
  readonly level: PermissionLevel;
}

/** New levels by the IDs of repositories; undefined removes a grant. */
type Changes = ReadonlyMap<string, PermissionLevel | undefined>;

const levelsOn = (
  workspaceId: string,
  membership: Membership,
  repositoryIds: readonly string[],
  loaded: IdentityMap,
): Levels =>
  new Map(
    repositoryIds.flatMap((id) => {
      const level = levelOn(workspaceId, membership, id, loaded);
      return level ? [[id, level] as const] : [];
    }),
  );

/** What a change does in the end: that of the caller, after what stands in the membership itself. */
const wantedBy = ({ grants }: Membership, changes: Changes): Changes =>
  new Map<string, PermissionLevel | undefined>([...Object.entries(grants), ...changes]);

/** The grants that the membership itself has then; undefined if they are in shards. */
const inlineAfter = (membership: Membership, wanted: Changes): Membership['grants'] | undefined => {
  const after = [...wanted].flatMap(([id, level]) => (level === undefined ? [] : [[id, level] as const]));
  return isSharded(membership) || after.length > inlineGrantsMax ? undefined : Object.fromEntries(after);
};

/** The write of a change whose grants stand in the membership. */
const inlineGrants = (workspaceId: string, { userId, grants }: Membership, after: Membership['grants']): Update => ({
  update: membershipKey(workspaceId, userId),
  set: 'SET #grants = :after',
  if: '#role = :member AND (attribute_not_exists(#grantCount) OR #grantCount = :none) AND #grants = :grants',
  values: { ':member': 'member', ':none': 0, ':grants': grants, ':after': after },
});

/** The writes of a change in the shards that were read, and whether the member would have too many grants then. */
const planOf = (workspaceId: string, membership: Membership, wanted: Changes, loaded: IdentityMap) => {
  let added = 0;
  let isTooMuch = false;
  const shards = [...Map.groupBy(wanted, ([repositoryId]) => shardOf(repositoryId))].map(([shard, changes]): Write => {
    const key = grantShardKey(workspaceId, membership.userId, shard);
    const stored = loaded.find(key);
    const levels = levelsIn(stored);
    const { size } = levels;
    for (const [id, level] of changes) {
      if (level === undefined) levels.delete(id);
      else levels.set(id, level);
    }
    added += levels.size - size;
    isTooMuch ||= levels.size > Math.max(size, shardGrantsMax);
    const held = shardFrom(levels);
    return stored ? replacement(key, held, stored) : insertion(key, held);
  });
  const { grantCount = 0 } = membership;
  isTooMuch ||= added > 0 && grantCount + added > grantsMax;
  return { writes: [countGrants(workspaceId, membership, added), ...shards], isTooMuch };
};

/** Changes the number of grants in the shards of a member who is no admin. What stood in the membership has moved there. */
const countGrants = (workspaceId: string, { userId, grants }: Membership, added: number): Update => ({
  update: membershipKey(workspaceId, userId),
  set: 'SET #grants = :none ADD #grantCount :added',
  if: '#role = :member AND (attribute_not_exists(#grantCount) OR #grantCount <= :most) AND #grants = :grants',
  values: {
    ':member': 'member',
    ':added': added,
    ':most': grantsMax - Math.max(added, 0),
    ':none': {},
    ':grants': grants,
  },
});

const changesOf = (grants: readonly Grant[]): Changes =>
  new Map(grants.map(({ repositoryId, level }) => [repositoryId, level]));

/** Whether a member would have too many grants with these. `loaded` has the items of `grantKeys`. */
export const isTooMuch = (
  workspaceId: string,
  membership: Membership,
  grants: readonly Grant[],
  loaded: IdentityMap,
): boolean => {
  const wanted = wantedBy(membership, changesOf(grants));
  return !inlineAfter(membership, wanted) && planOf(workspaceId, membership, wanted, loaded).isTooMuch;
};

/** The reason why nothing was granted. */
export type NotGranted = 'no member' | 'workspace admin' | 'too many grants';

/** Says the levels of a member that there were and that there are, by repository ID. */
const changeOf = (workspaceId: string, { userId, username }: Membership, before: Levels, changes: Changes): Change => ({
  action: 'grants.changed',
  workspaceId,
  target: { id: userId, name: username },
  alsoConcerns: [...changes.keys()],
  before: Object.fromEntries(before),
  after: Object.fromEntries([...changes].filter(([, level]) => level !== undefined)),
});

/** Changes grants of a member, all or nothing. It reads again if another request has changed them since `read`. */
const changeGrants = async (
  table: Table,
  workspaceId: string,
  userId: string,
  changes: Changes,
  read: IdentityMap,
  isRecorded = true,
): Promise<Levels | NotGranted> => {
  const key = membershipKey(workspaceId, userId);
  let loaded = read;
  let keys: readonly Key[] = [];
  return untilSettled(table, async (isAgain) => {
    if (isAgain) loaded = await table.read([key, ...keys]);
    const membership = loaded.find(key);
    if (!membership) return 'no member';
    if (membership.role === 'admin') return 'workspace admin';
    const wanted = wantedBy(membership, changes);
    const inline = inlineAfter(membership, wanted);
    keys = inline ? [] : grantKeys(workspaceId, userId, [...wanted.keys()]);
    if (loaded.missing(keys).size === 0) {
      const before = levelsOn(workspaceId, membership, [...changes.keys()], loaded);
      if ([...changes].every(([id, level]) => before.get(id) === level)) return before;
      const plan = inline
        ? { writes: [inlineGrants(workspaceId, membership, inline)], isTooMuch: false }
        : planOf(workspaceId, membership, wanted, loaded);
      if (plan.isTooMuch) return 'too many grants';
      const writes = [...plan.writes, accessChanged(membership.username)];
      const refusal = isRecorded
        ? await table.write(writes, changeOf(workspaceId, membership, before, changes))
        : await table.writeUnrecorded(writes);
      if (!refusal) return before;
    }
    return undefined;
  });
};

/**
 * Grants levels to a member, all or nothing. `loaded` has the membership and the items of `grantKeys` as the caller read
 * them. Returns the levels on these repositories before the change, or the reason why nothing was granted.
 */
export const grant = (
  table: Table,
  workspaceId: string,
  userId: string,
  grants: readonly Grant[],
  loaded: IdentityMap,
): Promise<Levels | NotGranted> => changeGrants(table, workspaceId, userId, changesOf(grants), loaded);

/** Removes a member's levels on repositories. Returns the levels that there were; it is the reverse of `grant`. */
export const revoke = (
  table: Table,
  workspaceId: string,
  userId: string,
  repositoryIds: readonly string[],
  loaded: IdentityMap,
): Promise<Levels | NotGranted> =>
  changeGrants(table, workspaceId, userId, new Map(repositoryIds.map((id) => [id, undefined])), loaded);

/**
 * Reads the grants of a member, and removes those on these repositories, which are deleted. Returns how many there were.
 * There is no record of it: such grants have no effect.
 */
export const removeInertGrants = async (
  table: Table,
  workspaceId: string,
  userId: string,
  repositoryIds: readonly string[],
): Promise<number> => {
  const keys = [membershipKey(workspaceId, userId), ...grantKeys(workspaceId, userId, repositoryIds)];
  const changes: Changes = new Map(repositoryIds.map((id) => [id, undefined]));
  const revoked = await changeGrants(table, workspaceId, userId, changes, await table.read(keys), false);
  return typeof revoked === 'string' ? 0 : revoked.size;
};
