import type { PermissionLevel, WorkspaceRole } from '../../shared/access.ts';

/** Who acts: the system admin, or one of the users by number. */
export type Who = number | 'root';

interface At {
  readonly workspace: number;
}
interface Acted extends At {
  readonly by: Who;
}
interface OnRepository extends Acted {
  readonly repository: number;
}

/** One step of a sequence. Workspaces, repositories and users are numbers; each number has one name all through. */
export type Action =
  | ({ readonly kind: 'create workspace' } & At)
  | ({ readonly kind: 'delete workspace' } & At)
  | ({ readonly kind: 'set member'; readonly user: number; readonly role: WorkspaceRole } & Acted)
  | ({ readonly kind: 'remove member'; readonly user: number } & Acted)
  | ({ readonly kind: 'create repository' } & OnRepository)
  | ({ readonly kind: 'delete repository' } & OnRepository)
  | ({ readonly kind: 'grant'; readonly user: number; readonly level: PermissionLevel } & OnRepository)
  | ({ readonly kind: 'remove grant'; readonly user: number } & OnRepository)
  | ({
      readonly kind: 'grant batch';
      readonly user: number;
      readonly repositories: readonly { readonly repository: number; readonly level: PermissionLevel }[];
    } & Acted);

type Kind<K extends Action['kind']> = Extract<Action, { readonly kind: K }>;

interface WorkspaceModel {
  readonly roles: Map<number, WorkspaceRole>;
  /** By repository, the level of each user: it dies with the repository, the membership and the workspace. */
  readonly repositories: Map<number, Map<number, PermissionLevel>>;
}

const noWorkspace = '404 WORKSPACE_NOT_FOUND';
const noRepository = '404 REPOSITORY_NOT_FOUND';
const noMember = '404 MEMBER_NOT_FOUND';
const forbidden = '403 FORBIDDEN';
const invalid = '400 REQUEST_INVALID';

/**
 * Who may do what, written from the contract of the service: maps in memory, in which nothing outlives what it belongs to.
 * Each action answers with the status and the code that the service owes.
 */
export class RightsModel {
  readonly workspaces = new Map<number, WorkspaceModel>();

  apply(action: Action): string {
    if (action.kind === 'create workspace') return this.createWorkspace(action.workspace);
    if (action.kind === 'delete workspace') return this.deleteWorkspace(action.workspace);
    const workspace = this.visible(action.workspace, action.by);
    if (!workspace) return noWorkspace;
    if (action.by !== 'root' && workspace.roles.get(action.by) !== 'admin') return forbidden;
    return this.applyAsAdmin(workspace, action);
  }

  /** The role of a user in a workspace, if the user is a member. */
  roleOf(workspace: number, user: number): WorkspaceRole | undefined {
    return this.workspaces.get(workspace)?.roles.get(user);
  }

  /** What a user finds in a workspace: its repositories as far as the user may see them, or why not. */
  repositoriesFor(workspace: number, user: number): readonly number[] | string {
    const found = this.visible(workspace, user);
    if (!found) return noWorkspace;
    const isAdmin = found.roles.get(user) === 'admin';
    return [...found.repositories].flatMap(([repository, levels]) => (isAdmin || levels.has(user) ? [repository] : []));
  }

  /** Who holds which level on a repository, as a user may see it, or why not. */
  levelsFor(workspace: number, repository: number, user: number): ReadonlyMap<number, PermissionLevel> | string {
    const found = this.visible(workspace, user);
    if (!found) return noWorkspace;
    const levels = found.repositories.get(repository);
    const own = found.roles.get(user) === 'admin' ? 'canManage' : levels?.get(user);
    if (!levels || !own) return noRepository;
    return own === 'canManage' ? levels : forbidden;
  }

  private visible(workspace: number, by: Who): WorkspaceModel | undefined {
    const found = this.workspaces.get(workspace);
    return found && (by === 'root' || found.roles.has(by)) ? found : undefined;
  }

  private createWorkspace(workspace: number): string {
    if (this.workspaces.has(workspace)) return '409 WORKSPACE_NAME_TAKEN';
    this.workspaces.set(workspace, { roles: new Map(), repositories: new Map() });
    return '201';
  }

  private deleteWorkspace(workspace: number): string {
    const found = this.workspaces.get(workspace);
    if (!found) return noWorkspace;
    if (found.repositories.size > 0) return '400 WORKSPACE_NOT_EMPTY';
    this.workspaces.delete(workspace);
    return '200';
  }

  private applyAsAdmin(
    workspace: WorkspaceModel,
    action: Exclude<Action, Kind<'create workspace' | 'delete workspace'>>,
  ) {
    if (action.kind === 'set member') return setMember(workspace, action);
    if (action.kind === 'remove member') return removeMember(workspace, action);
    if (action.kind === 'create repository') return createRepository(workspace, action);
    if (action.kind === 'grant batch') return grantBatch(workspace, action);
    const levels = workspace.repositories.get(action.repository);
    if (!levels) return noRepository;
    if (action.kind === 'delete repository') {
      workspace.repositories.delete(action.repository);
      return '200';
    }
    if (action.kind === 'remove grant') return levels.delete(action.user) ? '200' : noMember;
    if (workspace.roles.get(action.user) !== 'member') return invalid;
    const status = levels.has(action.user) ? '200' : '201';
    levels.set(action.user, action.level);
    return status;
  }
}

const endGrants = ({ repositories }: WorkspaceModel, user: number): void => {
  for (const levels of repositories.values()) levels.delete(user);
};

const setMember = (workspace: WorkspaceModel, { user, role }: Kind<'set member'>): string => {
  const status = workspace.roles.has(user) ? '200' : '201';
  workspace.roles.set(user, role);
  if (role === 'admin') endGrants(workspace, user);
  return status;
};

const removeMember = (workspace: WorkspaceModel, { user }: Kind<'remove member'>): string => {
  endGrants(workspace, user);
  return workspace.roles.delete(user) ? '200' : noMember;
};

const createRepository = ({ repositories }: WorkspaceModel, { repository }: { repository: number }): string => {
  if (repositories.has(repository)) return '409 REPOSITORY_NAME_TAKEN';
  repositories.set(repository, new Map());
  return '201';
};

const grantBatch = (workspace: WorkspaceModel, { user, repositories }: Kind<'grant batch'>): string => {
  const areKnown = repositories.every(({ repository }) => workspace.repositories.has(repository));
  const areDistinct = new Set(repositories.map(({ repository }) => repository)).size === repositories.length;
  if (workspace.roles.get(user) !== 'member' || !areKnown || !areDistinct) return invalid;
  for (const { repository, level } of repositories) workspace.repositories.get(repository)?.set(user, level);
  return '200';
};
