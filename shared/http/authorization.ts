import { type PermissionLevel, reaches } from '../access.ts';
import { type Actor, userActor } from '../auth/actor.ts';
import { ApiError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { grantKeys } from '../table/grant-shards.ts';
import { levelOn } from '../table/grants.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import { type Key, membershipKey, tokenKey, userKey } from '../table/keys.ts';
import { locate, repositoriesOf, workspaces } from '../table/locate.ts';
import type { Membership } from '../table/memberships.ts';
import type { Repository } from '../table/repositories.ts';
import { isCurrent, isTokenOf, type Token } from '../table/tokens.ts';
import type { User } from '../table/users.ts';
import type { Workspace } from '../table/workspaces.ts';
import type { Contract } from './contract.ts';
import { roleRefusal } from './role-refusal.ts';

/** The answer of the authorizer, which may be minutes old: the caller, and the token or the version of the password. */
export interface Principal {
  readonly userId: string;
  readonly username: string;
  readonly tokenId?: string | undefined;
  readonly passwordVersion?: string | undefined;
}

/** The caller, as the table describes the user now. */
export interface Caller {
  readonly actor: Actor;
  readonly user: User;
  /** The token of the request; undefined if it came with a password. */
  readonly token: Token | undefined;
  readonly isSystemAdmin: boolean;
  /** Whether the caller is an admin of the workspace in the path, or a System Admin. */
  readonly isWorkspaceAdmin: boolean;
  readonly membership: Membership | undefined;
  /** The level on the repository in the path, if there is one. */
  readonly level: PermissionLevel | undefined;
}

/** What a request that passed the checks is about. */
export interface Authorized {
  readonly caller: Caller;
  readonly workspace: Workspace | undefined;
  readonly repository: Repository | undefined;
  readonly loaded: IdentityMap;
}

/** The references in a path, as the request contains them. */
interface PathReferences {
  readonly workspace?: string | undefined;
  readonly repository?: string | undefined;
  readonly user?: string | undefined;
}

/** Returns the further keys to read, given the workspace in the path and the items that were read so far. */
type AlsoWanted = (workspaceId: string | undefined, loaded: IdentityMap) => readonly Key[];

/** The endpoint that a request calls, and the caller. */
interface AuthorizationRequest {
  readonly contract: Pick<Contract, 'access' | 'refusal' | 'summary'>;
  readonly principal: Principal;
  readonly path: PathReferences;
  readonly alsoWanted: AlsoWanted;
}

/**
 * Reads everything that decides access, consistently and usually in one round trip. Then it checks the credential, the
 * existence and visibility of the workspace, the role, and the repository.
 */
export const authorize = async (request: AuthorizationRequest, table: Table): Promise<Authorized> => {
  const { contract, principal, path } = request;
  const loaded = await table.readWanted((soFar) => keysToRead(request, soFar));
  const { workspace, repository } = pathItems(path, loaded);
  const user = loaded.find(userKey(principal.username));
  const token = principal.tokenId === undefined ? undefined : loaded.find(tokenKey(principal.tokenId));
  if (!user || !isStillValid(principal, user, token)) throw new ApiError('UNAUTHENTICATED');
  const isSystemAdmin = user.userRole === 'system-admin';
  const membership = workspace && loaded.find(membershipKey(workspace.workspaceId, user.userId));
  const isWorkspaceAdmin = isSystemAdmin || membership?.role === 'admin';
  const granted = repository && levelOn(repository.workspaceId, membership, repository.repositoryId, loaded);
  const level: PermissionLevel | undefined = repository && isWorkspaceAdmin ? 'canManage' : granted;
  const actor = userActor(user, token?.tokenId);
  const caller = { actor, user, token, isSystemAdmin, isWorkspaceAdmin, membership, level };
  const authorized = { caller, workspace, repository, loaded };
  checkAccess(contract, path, authorized);
  return authorized;
};

/**
 * The keys to read next, as far as they are known: those of the credential, of the items in the path, and of the
 * endpoint.
 */
const keysToRead = ({ principal, path, alsoWanted }: AuthorizationRequest, loaded: IdentityMap): readonly Key[] => {
  const credential = [userKey(principal.username), ...(principal.tokenId ? [tokenKey(principal.tokenId)] : [])];
  if (path.workspace === undefined) return [...credential, ...alsoWanted(undefined, loaded)];
  const workspace = locate(workspaces, path.workspace, loaded);
  if (workspace.at === undefined) return [...credential, ...workspace.next];
  const repository = locate(repositoriesOf(workspace.at), path.repository, loaded);
  return [
    ...credential,
    ...workspace.next,
    membershipKey(workspace.at, principal.userId),
    ...repository.next,
    ...(repository.at === undefined ? [] : grantKeys(workspace.at, principal.userId, [repository.at])),
    ...alsoWanted(workspace.at, loaded),
  ];
};

const pathItems = (path: PathReferences, loaded: IdentityMap) => {
  const { at, item: workspace } = locate(workspaces, path.workspace, loaded);
  const repository = at === undefined ? undefined : locate(repositoriesOf(at), path.repository, loaded).item;
  return { workspace, repository };
};

/** Whether the credential is still valid: the answer of the authorizer may be 300 s old. */
const isStillValid = (principal: Principal, user: User, token: Token | undefined): boolean => {
  if (user.userId !== principal.userId || user.disabled) return false;
  if (principal.tokenId === undefined) return user.passwordVersion === principal.passwordVersion;
  return token !== undefined && isTokenOf(token, user) && isCurrent(token);
};

/** The level on the repository that an access needs. */
const neededLevel = {
  'repository-viewer': 'canView',
  'repository-deployer': 'canDeploy',
  'repository-manager': 'canManage',
} as const satisfies Record<string, PermissionLevel>;

/** Refuses callers who may not call. Every access has a case here, and an unknown access is refused. */
const checkAccess = (
  contract: AuthorizationRequest['contract'],
  path: PathReferences,
  { caller, workspace, repository }: Authorized,
): void => {
  const demand = (isMet: boolean): void => {
    if (!isMet) throw roleRefusal(contract);
  };
  const demandWorkspace = (): void => {
    if (!workspace || !(caller.isSystemAdmin || caller.membership)) throw new ApiError('WORKSPACE_NOT_FOUND');
  };
  const demandRepository = (level: PermissionLevel): void => {
    if (!repository || !caller.level) throw new ApiError('REPOSITORY_NOT_FOUND');
    demand(reaches(caller.level, level));
  };
  const { access } = contract;
  switch (access) {
    case 'user':
      return;
    case 'oneself':
      demand(caller.isSystemAdmin || isOneself(caller, path.user));
      return;
    case 'system-admin':
      demand(caller.isSystemAdmin);
      if (path.workspace !== undefined) demandWorkspace();
      if (path.repository !== undefined) demandRepository('canView');
      return;
    case 'workspace-member':
      demandWorkspace();
      return;
    case 'workspace-admin':
      demandWorkspace();
      demand(caller.isWorkspaceAdmin);
      if (path.repository !== undefined) demandRepository('canView');
      return;
    case 'repository-viewer':
    case 'repository-deployer':
    case 'repository-manager':
      demandWorkspace();
      demandRepository(neededLevel[access]);
      return;
    case 'public':
      throw new Error('An open endpoint has no caller to check.');
    default:
      access satisfies never;
      throw new Error(`The access '${String(access)}' is unknown.`);
  }
};

/** Whether the user in a path is the caller, by ID, by name, or as `me`. */
export const isOneself = ({ user }: Caller, text: string | undefined): boolean =>
  text === 'me' || text === user.username || text?.toLowerCase() === user.userId;

/** Refuses a caller whose level on the repository is too low for a part of what the endpoint does. */
export const demandLevel = (
  { caller }: { readonly caller: Caller },
  access: keyof typeof neededLevel,
  summary: string,
): void => {
  if (!reaches(caller.level, neededLevel[access])) throw roleRefusal({ access, summary });
};
