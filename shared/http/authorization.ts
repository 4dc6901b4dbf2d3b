import { type PermissionLevel, reaches } from '../access.ts';
import { config } from '../config.ts';
import { ApiError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { remembering } from '../table/identity/remembered-access.ts';
import { isRecentlyProven } from '../table/identity/sessions.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import type { Key } from '../table/keys.ts';
import { type Location, locate, repositoriesOf, workspaces } from '../table/locate.ts';
import type { Repository } from '../table/repositories/repositories.ts';
import { type Caller, callerOf, credentialKeys, rightsKeys, versionedAccess } from './caller.ts';
import type { Contract } from './contract.ts';
import type { Principal } from './principal.ts';
import type { PathItems } from './rights.ts';
import { limitRefusal, roleRefusal, userRefusal } from './role-refusal.ts';

/** What a request that passed the checks is about. */
export interface Authorized extends PathItems {
  readonly caller: Caller;
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
  readonly contract: Pick<
    Contract,
    'access' | 'authenticates' | 'isDelicate' | 'isForUsers' | 'limitedTokens' | 'method' | 'refusal' | 'summary'
  >;
  readonly principal: Principal;
  readonly path: PathReferences;
  readonly alsoWanted: AlsoWanted;
}

/** Reads everything that decides access, consistently and usually in one round trip, and decides. */
export const authorize = async (request: AuthorizationRequest, table: Table): Promise<Authorized> => {
  const wanted = (soFar: IdentityMap): readonly Key[] => keysToRead(request, soFar);
  const versioned = mayRemember(request) ? versionedAccess(request.principal) : undefined;
  return decide(request, await table.readWanted(versioned ? remembering(versioned, wanted) : wanted));
};

/** Reads in repositories are most requests by far. */
const mayRemember = ({ contract, path }: AuthorizationRequest): boolean =>
  contract.method === 'GET' && path.repository !== undefined && config.remembersAccess;

/** Checks the credential, the existence and visibility of the workspace, the role, and the repository. */
export const decide = (
  { contract, principal, path }: Omit<AuthorizationRequest, 'alsoWanted'>,
  loaded: IdentityMap,
): Authorized => {
  const items = pathItems(contract, path, loaded);
  const caller = callerOf(principal, items, loaded);
  if (!caller) throw new ApiError('UNAUTHENTICATED', contract.authenticates);
  const authorized = { caller, ...items, loaded };
  checkAccess(contract, path, authorized);
  if (contract.isForUsers) requireUser(contract, caller);
  checkLimits(contract, caller);
  if (contract.isDelicate) requireRecentPassword(caller);
  return authorized;
};

/**
 * The keys to read next, as far as they are known: those of the credential, of the items in the path, and of the
 * endpoint.
 */
export const keysToRead = (
  { contract, principal, path, alsoWanted }: AuthorizationRequest,
  loaded: IdentityMap,
): readonly Key[] => {
  if (path.workspace === undefined) return [...credentialKeys(principal), ...alsoWanted(undefined, loaded)];
  const workspace = locate(workspaces, path.workspace, loaded);
  if (workspace.at === undefined) return [...credentialKeys(principal), ...workspace.next];
  const repository = locate(repositoriesOf(workspace.at), path.repository, loaded);
  const isProven = provesWorkspace(contract, repository);
  return [
    ...credentialKeys(principal, isProven ? workspace.at : undefined),
    ...(isProven ? [] : workspace.next),
    ...repository.next,
    ...rightsKeys(principal, workspace.at, repository.at, loaded),
    ...alsoWanted(workspace.at, loaded),
  ];
};

/**
 * Whether the item of a repository, which is read or will be, says that its workspace exists: none is without. Who reads a repository
 * needs no more of the workspace than its ID.
 */
const provesWorkspace = ({ method }: Pick<Contract, 'method'>, { at, item, next }: Location<Repository>): boolean =>
  method === 'GET' && at !== undefined && (item !== undefined || next.length > 0);

const pathItems = (contract: Pick<Contract, 'method'>, path: PathReferences, loaded: IdentityMap): PathItems => {
  const { at, item } = locate(workspaces, path.workspace, loaded);
  if (at === undefined) return { workspace: item, repository: undefined };
  const repository = locate(repositoriesOf(at), path.repository, loaded);
  return { workspace: provesWorkspace(contract, repository) ? { workspaceId: at } : item, repository: repository.item };
};

/** The level on the repository that an access needs. */
const neededLevel = {
  'repository-viewer': 'canView',
  'repository-deployer': 'canDeploy',
  'repository-manager': 'canManage',
} as const satisfies Record<string, PermissionLevel>;

const requireUser = (contract: AuthorizationRequest['contract'], { user }: Caller): void => {
  if (!user) throw userRefusal(contract);
};

/** Refuses callers who may not call. Every access has a case here, and an unknown access is refused. */
const checkAccess = (
  contract: AuthorizationRequest['contract'],
  path: PathReferences,
  { caller, workspace, repository }: Authorized,
): void => {
  const requireThat = (isMet: boolean): void => {
    if (!isMet) throw roleRefusal(contract);
  };
  const requireWorkspace = (): void => {
    if (!workspace || !caller.seesWorkspace) throw new ApiError('WORKSPACE_NOT_FOUND');
  };
  const requireRepository = (level: PermissionLevel): void => {
    if (!repository || !caller.level) throw new ApiError('REPOSITORY_NOT_FOUND');
    requireThat(reaches(caller.level, level));
  };
  const { access } = contract;
  switch (access) {
    case 'caller':
      return;
    case 'user':
      requireUser(contract, caller);
      return;
    case 'oneself':
      requireUser(contract, caller);
      requireThat(caller.isSystemAdmin || isOneself(caller, path.user));
      return;
    case 'system-admin':
      // What has a refusal of its own, the deletion of a workspace, refuses by the role first.
      if (contract.refusal) requireThat(caller.isSystemAdmin);
      if (path.workspace !== undefined) requireWorkspace();
      requireThat(caller.isSystemAdmin);
      if (path.repository !== undefined) requireRepository('canView');
      return;
    case 'workspace-member':
      requireWorkspace();
      return;
    case 'workspace-admin':
      requireWorkspace();
      requireThat(caller.isWorkspaceAdmin);
      if (path.repository !== undefined) requireRepository('canView');
      return;
    case 'repository-viewer':
    case 'repository-deployer':
    case 'repository-manager':
      requireWorkspace();
      requireRepository(neededLevel[access]);
      return;
    case 'public':
      throw new Error('An open endpoint has no caller to check.');
    default:
      access satisfies never;
      throw new Error(`The access '${String(access)}' is unknown.`);
  }
};

/** Refuses what the limits of a token do not allow. A limited token changes nothing about its user or about other tokens. */
const checkLimits = (contract: AuthorizationRequest['contract'], { limits }: Caller): void => {
  const { access, method, limitedTokens } = contract;
  if (!limits || method === 'GET' || limitedTokens === 'ask' || limitedTokens === 'themselves') return;
  const isAboutUser = access === 'user' || access === 'oneself';
  if (limits.readOnly || isAboutUser || limitedTokens === 'refused') throw limitRefusal(contract, limits);
};

/** A browser that somebody left open must not hand out what outlives its session. */
const requireRecentPassword = ({ session }: Caller): void => {
  if (session && !isRecentlyProven(session)) throw new ApiError('PASSWORD_PROOF_EXPIRED');
};

/** Whether the user in a path is the caller, by ID, by name, or as `me`. */
export const isOneself = ({ user }: Caller, text: string | undefined): boolean =>
  user !== undefined && (text === 'me' || text === user.username || text?.toLowerCase() === user.userId);

/** Refuses a caller whose level on the repository is too low for a part of what the endpoint does. */
export const requireLevel = (
  { caller }: { readonly caller: Caller },
  access: keyof typeof neededLevel,
  summary: string,
): void => {
  if (!reaches(caller.level, neededLevel[access])) throw roleRefusal({ access, summary });
};
