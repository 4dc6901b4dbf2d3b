/** Who may call an endpoint. Each level includes the ones that the contract puts above it. */
export type Access =
  | 'public'
  | 'user'
  /** The user in the path, and every System Admin. */
  | 'oneself'
  | 'system-admin'
  | 'workspace-member'
  | 'workspace-admin'
  | 'repository-viewer'
  | 'repository-manager';

export const userRoles = ['user', 'system-admin'] as const;
export type UserRole = (typeof userRoles)[number];

export const workspaceRoles = ['admin', 'member'] as const;
export type WorkspaceRole = (typeof workspaceRoles)[number];

/** The permission levels on a repository, lowest first. */
export const permissionLevels = ['canView', 'canDeploy', 'canManage'] as const;
export type PermissionLevel = (typeof permissionLevels)[number];
