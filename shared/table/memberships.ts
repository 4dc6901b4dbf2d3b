import { type PermissionLevel, permissionLevels, type WorkspaceRole } from '../access.ts';
import type { Item } from './client.ts';

/**
 * What one user may do in one workspace, in one item, so that a batch of grants is one conditional update: the role, and
 * for each level the IDs of the repositories on which a member has it. IDs are never reused, so a grant on a deleted repository is inert.
 */
export interface Membership {
  readonly userId: string;
  readonly username: string;
  readonly role: WorkspaceRole;
  readonly canView?: ReadonlySet<string>;
  readonly canDeploy?: ReadonlySet<string>;
  readonly canManage?: ReadonlySet<string>;
}

/** The membership of an item that a read found. */
export const membershipOf = (item: Item | undefined): Membership | undefined => item && (item as unknown as Membership);

/** The level that a membership grants on a repository, if any. */
export const levelOn = (membership: Membership | undefined, repositoryId: string): PermissionLevel | undefined =>
  permissionLevels.find((level) => membership?.[level]?.has(repositoryId));
