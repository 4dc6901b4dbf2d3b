import type { PermissionLevel } from '../access.ts';
import type { Membership } from '../table/identity/memberships.ts';
import type { Workspace } from '../table/identity/workspaces.ts';
import type { Repository } from '../table/repositories/repositories.ts';

/** What is known of a workspace without its item. */
export type WorkspaceId = Pick<Workspace, 'workspaceId'>;

/** What a caller may do now: everywhere, in the workspace of the path, and on its repository. */
export interface Rights {
  readonly isSystemAdmin: boolean;
  readonly workspaces: VisibleWorkspaces;
  /** Whether the caller sees the workspace in the path. */
  readonly seesWorkspace: boolean;
  /** Whether the caller is an admin of the workspace in the path, or a System Admin. */
  readonly isWorkspaceAdmin: boolean;
  /** The level on the repository in the path, if there is one. */
  readonly level: PermissionLevel | undefined;
  readonly repositories: VisibleRepositories;
}

/** The workspaces that the caller sees. */
export interface VisibleWorkspaces {
  /** Whether they are all that there are, and not only those that the user is a member of. */
  readonly isEvery: boolean;
  /** Only these, by ID. */
  readonly among: readonly string[] | undefined;
}

/** The repositories of the workspace in the path that the caller sees: all of them, where nothing narrows them. */
export interface VisibleRepositories {
  /** Only those that this member has a level on. */
  readonly grantedTo: Membership | undefined;
  /** Only these, by ID. */
  readonly among: readonly string[] | undefined;
}

/** The items of the path that exist. Of the workspace, a request that reads a repository has the ID only. */
export interface PathItems {
  readonly workspace: WorkspaceId | undefined;
  readonly repository: Repository | undefined;
}
