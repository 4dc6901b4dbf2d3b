import { randomUUID } from 'node:crypto';
import type { PermissionLevel, WorkspaceRole } from '../access.ts';
import type { Item, Table } from './client.ts';
import { membershipKey } from './keys.ts';

/**
 * What one user may do in one workspace, in one item, so that a batch of grants is one conditional update: the role, and a
 * member's level by repository ID. A map rather than one set per level, because one update cannot both add to a set and take
 * from it, which a batch of mixed levels needs. IDs are never reused, so a grant on a deleted repository is inert.
 */
export interface Membership {
  readonly userId: string;
  readonly username: string;
  readonly role: WorkspaceRole;
  readonly grants: Readonly<Record<string, PermissionLevel>>;
}

/** The membership of an item that a read found. */
export const membershipOf = (item: Item | undefined): Membership | undefined => item && (item as unknown as Membership);

/** The level that a membership grants on a repository, if any. */
export const levelOn = (membership: Membership | undefined, repositoryId: string): PermissionLevel | undefined =>
  membership?.grants[repositoryId];

/** A level on one repository. */
export interface Grant {
  readonly repositoryId: string;
  readonly level: PermissionLevel;
}

/**
 * Grants levels to a member, all or none. Answers with the membership as it was, or says why nobody was granted anything.
 * `before` is what the caller read: it stands in for what an earlier try, whose reply was lost, overwrote.
 */
export const grant = async (
  table: Table,
  workspaceId: string,
  userId: string,
  grants: readonly Grant[],
  before: Membership | undefined,
): Promise<Membership | 'no member' | 'workspace admin'> => {
  const writeId = randomUUID();
  const answer = await table.update({
    update: membershipKey(workspaceId, userId),
    set: `SET #writeId = :writeId, ${grants.map(({ level }, index) => `#grants.#r${index} = :${level}`).join(', ')}`,
    if: '#role = :member',
    names: Object.fromEntries(grants.map(({ repositoryId }, index) => [`#r${index}`, repositoryId])),
    values: {
      ':writeId': writeId,
      ':member': 'member',
      ...Object.fromEntries(grants.map(({ level }) => [`:${level}`, level])),
    },
  });
  if ('refused' in answer) return answer.refused ? 'workspace admin' : 'no member';
  const replaced = answer.before.writeId === writeId ? before : membershipOf(answer.before);
  return replaced ?? 'no member';
};
