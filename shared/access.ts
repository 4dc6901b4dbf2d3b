/** The access that an endpoint of any path can declare. */
type AnyPathAccess = 'public' | 'caller' | 'user' | 'system-admin';
/** The user in the path and every System Admin. */
type UserPathAccess = 'oneself';
type WorkspacePathAccess = 'workspace-member' | 'workspace-admin';
type RepositoryPathAccess = 'repository-viewer' | 'repository-deployer' | 'repository-manager';

/** Who may call an endpoint. Each level includes the levels above it. */
export type Access = AnyPathAccess | UserPathAccess | WorkspacePathAccess | RepositoryPathAccess;

/** Who may call an endpoint, in words: for the document and for the sentence of a refusal. */
export const accessWords: Readonly<Record<Access, string>> = {
  public: 'anybody, without a credential',
  caller: 'everybody with a credential',
  user: 'every user',
  oneself: 'that user and System Admins',
  'system-admin': 'System Admins',
  'workspace-member': 'members of the workspace and System Admins',
  'workspace-admin': 'Workspace Admins and System Admins',
  'repository-viewer': 'users with a permission on the repository, Workspace Admins and System Admins',
  'repository-deployer': 'users with canDeploy or canManage on the repository, Workspace Admins and System Admins',
  'repository-manager': 'users with canManage on the repository, Workspace Admins and System Admins',
};

/**
 * The access that an endpoint of a path can declare. A path with a workspace or a repository requires a role there, and
 * only such a path can require it.
 */
export type AccessOf<Path extends string> = Path extends `${string}{repository}${string}`
  ? 'system-admin' | 'workspace-admin' | RepositoryPathAccess
  : Path extends `${string}{workspace}${string}`
    ? 'system-admin' | WorkspacePathAccess
    : Path extends `${string}{user}${string}`
      ? AnyPathAccess | UserPathAccess
      : AnyPathAccess;

export const userRoles = ['user', 'system-admin'] as const;
export type UserRole = (typeof userRoles)[number];

export const workspaceRoles = ['admin', 'member'] as const;
export type WorkspaceRole = (typeof workspaceRoles)[number];

/** The permission levels on a repository, lowest first. */
export const permissionLevels = ['canView', 'canDeploy', 'canManage'] as const;
export type PermissionLevel = (typeof permissionLevels)[number];

/** Whether a level on a repository is at least the needed one. No level at all never is. */
export const reaches = (level: PermissionLevel | undefined, needed: PermissionLevel): boolean =>
  level !== undefined && permissionLevels.indexOf(level) >= permissionLevels.indexOf(needed);
