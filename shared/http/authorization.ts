import type { PermissionLevel } from '../access.ts';
import { ApiError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import {
  type Key,
  membershipKey,
  repositoryKey,
  repositoryNameKey,
  tokenKey,
  userKey,
  workspaceKey,
  workspaceNameKey,
} from '../table/keys.ts';
import { levelOn, type Membership, membershipOf } from '../table/memberships.ts';
import { parseReference } from '../table/references.ts';
import { type Repository, repositoryOf } from '../table/repositories.ts';
import { isCurrent, type Token, tokenOf } from '../table/tokens.ts';
import { type User, userOf } from '../table/users.ts';
import { type Workspace, workspaceOf } from '../table/workspaces.ts';
import type { Contract } from './contract.ts';

/** What the authorizer found out, perhaps minutes ago: who the caller was, and by which token or version of the password. */
export interface Principal {
  readonly userId: string;
  readonly username: string;
  readonly tokenId?: string | undefined;
  readonly passwordVersion?: string | undefined;
}

/** Who calls, as the table says now. */
export interface Caller {
  readonly user: User;
  /** The token that the caller came with, unless it was a password. */
  readonly token: Token | undefined;
  readonly isSystemAdmin: boolean;
  /** Workspace Admin of the workspace in the path, or System Admin. */
  readonly isWorkspaceAdmin: boolean;
  readonly membership: Membership | undefined;
}

/** What a request that may go on is about. */
export interface Authorized {
  readonly caller: Caller;
  readonly workspace: Workspace | undefined;
  readonly repository: Repository | undefined;
  readonly loaded: IdentityMap;
}

/** Further keys to read, given the workspace of the path and what was loaded so far. */
type AlsoWanted = (workspaceId: string | undefined, loaded: IdentityMap) => readonly Key[];

interface PathReferences {
  readonly workspace?: string | undefined;
  readonly repository?: string | undefined;
  readonly user?: string | undefined;
}

/**
 * Reads, consistently and in one round trip when no name is new to the process, all that decides whether the request may go
 * on, and decides it: credential, then existence and visibility of the workspace, then role, then the repository.
 */
export const authorize = async (
  contract: Contract,
  principal: Principal,
  path: PathReferences,
  alsoWanted: AlsoWanted,
  table: Table,
): Promise<Authorized> => {
  const { loaded, workspace, repository } = await load(principal, path, alsoWanted, table);
  const user = userOf(loaded.find(userKey(principal.username)));
  const token = principal.tokenId === undefined ? undefined : tokenOf(loaded.find(tokenKey(principal.tokenId)));
  if (!user || !isStillValid(principal, user, token)) throw new ApiError('UNAUTHENTICATED');
  const isSystemAdmin = user.userRole === 'system-admin';
  const membership = workspace && membershipOf(loaded.find(membershipKey(workspace.workspaceId, user.userId)));
  const isWorkspaceAdmin = isSystemAdmin || membership?.role === 'admin';
  const caller = { user, token, isSystemAdmin, isWorkspaceAdmin, membership };
  const authorized = { caller, workspace, repository, loaded };
  checkAccess(contract, path, authorized);
  return authorized;
};

const load = async (principal: Principal, path: PathReferences, alsoWanted: AlsoWanted, table: Table) => {
  const credentialKeys = [userKey(principal.username), ...(principal.tokenId ? [tokenKey(principal.tokenId)] : [])];
  const workspaceReference = parseReference(path.workspace ?? '');
  const repositoryReference = parseReference(path.repository ?? '');

  const workspaceIdOf = (loaded: IdentityMap): string | undefined =>
    workspaceReference && loaded.identify(workspaceReference, workspaceNameKey, workspaceKey);
  const repositoryIdOf = (loaded: IdentityMap, workspaceId: string): string | undefined =>
    repositoryReference &&
    loaded.identify(
      repositoryReference,
      (name) => repositoryNameKey(workspaceId, name),
      (id) => repositoryKey(workspaceId, id),
    );

  const repositoryKeys = (loaded: IdentityMap, workspaceId: string): Key[] => {
    const id = repositoryIdOf(loaded, workspaceId);
    if (id !== undefined) return [repositoryKey(workspaceId, id)];
    return repositoryReference && 'name' in repositoryReference
      ? [repositoryNameKey(workspaceId, repositoryReference.name)]
      : [];
  };
  const workspaceKeys = (loaded: IdentityMap): Key[] => {
    const id = workspaceIdOf(loaded);
    if (id !== undefined)
      return [
        workspaceKey(id),
        membershipKey(id, principal.userId),
        ...repositoryKeys(loaded, id),
        ...alsoWanted(id, loaded),
      ];
    if (path.workspace === undefined) return [...alsoWanted(undefined, loaded)];
    return workspaceReference && 'name' in workspaceReference ? [workspaceNameKey(workspaceReference.name)] : [];
  };

  const loaded = await table.readWanted((soFar) => [...credentialKeys, ...workspaceKeys(soFar)]);
  const workspaceId = workspaceIdOf(loaded);
  const repositoryId = workspaceId && repositoryIdOf(loaded, workspaceId);
  return {
    loaded,
    workspace: workspaceId ? workspaceOf(loaded.find(workspaceKey(workspaceId))) : undefined,
    repository:
      workspaceId && repositoryId ? repositoryOf(loaded.find(repositoryKey(workspaceId, repositoryId))) : undefined,
  };
};

/** Whether what the authorizer proved still holds: the authorizer's answer may be 300 s old. */
const isStillValid = (principal: Principal, user: User, token: Token | undefined): boolean => {
  if (user.userId !== principal.userId || user.disabled) return false;
  if (principal.tokenId === undefined) return user.passwordVersion === principal.passwordVersion;
  return token !== undefined && token.userId === user.userId && isCurrent(token);
};

const checkAccess = (contract: Contract, path: PathReferences, authorized: Authorized): void => {
  const { caller, workspace, repository } = authorized;
  const refused = (): ApiError => new ApiError(contract.refusal ?? 'FORBIDDEN');
  if (contract.access === 'system-admin' && !caller.isSystemAdmin) throw refused();
  if (contract.access === 'oneself' && !caller.isSystemAdmin && !isOneself(caller, path.user)) throw refused();
  if (path.workspace === undefined) return;
  if (!workspace || !(caller.isSystemAdmin || caller.membership)) throw new ApiError('WORKSPACE_NOT_FOUND');
  if (contract.access === 'workspace-admin' && !caller.isWorkspaceAdmin) throw refused();
  if (path.repository === undefined) return;
  const level = repository && grantedLevel(caller, repository);
  if (!level) throw new ApiError('REPOSITORY_NOT_FOUND');
  if (contract.access === 'repository-manager' && level !== 'canManage') throw refused();
};

/** Whether the user in a path is the caller, by ID, by name, or as `me`. */
export const isOneself = ({ user }: Caller, text: string | undefined): boolean =>
  text === 'me' || text === user.username || text?.toLowerCase() === user.userId;

const grantedLevel = (caller: Caller, repository: Repository): PermissionLevel | undefined =>
  caller.isWorkspaceAdmin ? 'canManage' : levelOn(caller.membership, repository.repositoryId);
