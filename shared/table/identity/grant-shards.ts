import { type PermissionLevel, permissionLevels } from '../../access.ts';
import { grantShardKey, type Key } from '../keys.ts';
import type { Write, Written } from '../writes.ts';

/**
 * The grants of one member on the repositories of one shard. They are apart from the role, so that a request reads a few
 * of them, and a batch changes at most 16 items and the membership.
 */
export interface GrantShard extends Written {
  /**
   * For each grant the 16 bytes of the repository's ID, and a byte for the level. 7,500 grants take two or three read units
   * in each shard; as a map of texts they would take five. IDs are never reused, so a grant on a deleted repository has
   * no effect.
   */
  readonly packed: Uint8Array;
}

const shardNames = Array.from('0123456789abcdef');

/** The name of a repository's shard: the first hexadecimal digit of its ID, which is random. */
export const shardOf = (repositoryId: string): string => repositoryId.charAt(0);

/** Levels by the IDs of repositories. */
export type Levels = ReadonlyMap<string, PermissionLevel>;

const idBytes = 16;
const grantBytes = idBytes + 1;
const codes = { canView: 1, canDeploy: 2, canManage: 3 } as const satisfies Record<PermissionLevel, number>;
const levelsByCode: ReadonlyMap<number, PermissionLevel> = new Map(
  permissionLevels.map((level) => [codes[level], level]),
);

const bytesOf = (repositoryId: string): Buffer => Buffer.from(repositoryId.replaceAll('-', ''), 'hex');

/** The shard of these grants. */
export const shardFrom = (levels: Levels): GrantShard => ({
  packed: Buffer.concat([...levels].flatMap(([id, level]) => [bytesOf(id), Buffer.of(codes[level])])),
});

/** The level in a shard on a repository, if any. */
export const levelIn = (shard: GrantShard | undefined, repositoryId: string): PermissionLevel | undefined => {
  const [packed, id] = [Buffer.from(shard?.packed ?? []), bytesOf(repositoryId)];
  let at = packed.indexOf(id);
  // The same bytes can also be parts of two neighbours.
  while (at % grantBytes > 0) at = packed.indexOf(id, at + 1);
  return at < 0 ? undefined : levelsByCode.get(packed[at + idBytes] ?? 0);
};

/** The levels in a shard. */
export const levelsIn = (shard: GrantShard | undefined): Map<string, PermissionLevel> => {
  const levels = new Map<string, PermissionLevel>();
  const text = Buffer.from(shard?.packed ?? []).toString('hex');
  for (const [, ...parts] of text.matchAll(/(.{8})(.{4})(.{4})(.{4})(.{12})(..)/g)) {
    const level = levelsByCode.get(Number(parts.pop()));
    if (level) levels.set(parts.join('-'), level);
  }
  return levels;
};

/** The keys of the shards that contain a member's grants on these repositories. */
export const grantKeys = (workspaceId: string, userId: string, repositoryIds: readonly string[]): Key<GrantShard>[] =>
  [...new Set(repositoryIds.map(shardOf))].map((shard) => grantShardKey(workspaceId, userId, shard));

/** Removes all grants of a member, in the transaction that ends or raises the membership. */
export const endGrants = (workspaceId: string, userId: string): Write[] =>
  shardNames.map((shard) => ({ remove: grantShardKey(workspaceId, userId, shard) }));
