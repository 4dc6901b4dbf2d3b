import type { Access } from '../access.ts';
import { type Actor, userActor } from '../auth/actor.ts';
import { accessVersionOf } from '../table/identity/access-version.ts';
import { levelKeys, levelOn } from '../table/identity/levels.ts';
import type { Versioned } from '../table/identity/remembered-access.ts';
import { isLive, type Session } from '../table/identity/sessions.ts';
import {
  isCurrent,
  isPersonal,
  isTokenOf,
  type MachineGrants,
  type Token,
  type TokenLimits,
  type TrustToken,
  type WorkspaceToken,
} from '../table/identity/tokens.ts';
import type { User } from '../table/identity/users.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import {
  grantShardsList,
  type Key,
  membershipKey,
  sessionKey,
  tokenKey,
  trustKey,
  userKey,
  workspaceKey,
} from '../table/keys.ts';
import { isMachine, type MachinePrincipal, type Principal, type UserPrincipal } from './principal.ts';
import type { PathItems, Rights } from './rights.ts';
import { rightsWithin } from './token-limits.ts';

/** The caller, as the table describes it now. */
export interface Caller extends Rights {
  readonly actor: Actor;
  /** Undefined if the caller is no user. */
  readonly user: User | undefined;
  /** The token of the request; undefined if it came with a password. */
  readonly token: Token | undefined;
  /** The limits of that token. */
  readonly limits: TokenLimits | undefined;
  /** The session of a browser that the token belongs to. */
  readonly session: Session | undefined;
  /** What no answer shows and ends with the credential. */
  readonly cursorSecret: string;
}

/** A caller who is a user. */
export interface UserCaller extends Caller {
  readonly user: User;
}

/** The accesses that only users can have. */
export type UserAccess = 'user' | 'oneself' | 'system-admin' | 'workspace-admin';

/** The caller of an endpoint with an access. */
export type CallerOf<A extends Access> = A extends 'public' ? undefined : A extends UserAccess ? UserCaller : Caller;

/** The keys of the items that say whether the credential is still valid. The item of a repository proves its workspace. */
export const credentialKeys = (principal: Principal, provenWorkspace?: string): readonly Key[] => {
  const { tokenId } = principal;
  return [
    ...(isMachine(principal) ? machineKeys(principal, provenWorkspace) : [userKey(principal.username)]),
    ...(tokenId === undefined ? [] : [tokenKey(tokenId)]),
    ...sessionKeys(principal),
  ];
};

const machineKeys = ({ workspaceId, trustId }: MachinePrincipal, provenWorkspace: string | undefined): Key[] => [
  ...(workspaceId === provenWorkspace ? [] : [workspaceKey(workspaceId)]),
  ...(trustId === undefined ? [] : [trustKey(trustId)]),
];

const sessionKeys = (principal: Principal): readonly Key<Session>[] =>
  isMachine(principal) || principal.sessionId === undefined ? [] : [sessionKey(principal.sessionId)];

/** The keys of the items that say what the principal may do in a workspace, and on a repository of it. */
export const rightsKeys = (
  principal: Principal,
  workspaceId: string,
  repositoryId: string | undefined,
  loaded: IdentityMap,
): readonly Key[] =>
  isMachine(principal)
    ? []
    : repositoryId === undefined
      ? [membershipKey(workspaceId, principal.userId)]
      : levelKeys(workspaceId, principal.userId, repositoryId, loaded);

/**
 * What of a caller changes only together with a version: the token, the membership and the grants of a user, and the token of a trust, which
 * never changes. Undefined for a token of a workspace, which says all itself.
 */
export const versionedAccess = (principal: Principal): Versioned | undefined => {
  if (!isMachine(principal)) return versionedByUser(principal);
  if (principal.trustId === undefined) return undefined;
  const by = trustKey(principal.trustId);
  return { by, versionIn: (loaded) => loaded.find(by)?.revision, covers: isTokenOfPrincipal(principal) };
};

const versionedByUser = (principal: UserPrincipal): Versioned => {
  const by = userKey(principal.username);
  const isToken = isTokenOfPrincipal(principal);
  const [{ sk: membership }, { prefix: grants }] = [
    membershipKey('', principal.userId),
    grantShardsList('', principal.userId),
  ];
  return {
    by,
    versionIn: (loaded) => {
      const user = loaded.find(by);
      return user && accessVersionOf(user);
    },
    covers: (key) => isToken(key) || key.sk === membership || key.sk.startsWith(grants),
  };
};

const isTokenOfPrincipal =
  ({ tokenId = '' }: Principal) =>
  ({ pk }: Key): boolean =>
    pk === tokenKey(tokenId).pk;

/** The caller that a principal stands for; undefined if its credential is no longer valid. */
export const callerOf = (principal: Principal, path: PathItems, loaded: IdentityMap): Caller | undefined => {
  const token = principal.tokenId === undefined ? undefined : loaded.find(tokenKey(principal.tokenId));
  if (principal.tokenId !== undefined && !(token && isCurrent(token))) return undefined;
  return isMachine(principal)
    ? machineCaller(principal, token, path, loaded)
    : userCaller(principal, token, path, loaded);
};

const userCaller = (
  principal: UserPrincipal,
  token: Token | undefined,
  path: PathItems,
  loaded: IdentityMap,
): UserCaller | undefined => {
  const user = loaded.find(userKey(principal.username));
  if (user?.userId !== principal.userId || user.disabled) return undefined;
  const [session] = sessionKeys(principal).map((key) => loaded.find(key));
  if (!isProven(principal, user, token, session)) return undefined;
  const actor = userActor(user, token?.tokenId);
  const rights = rightsOfUser(user, path, loaded);
  const limits = token && isPersonal(token) ? token.limits : undefined;
  const left = limits ? rightsWithin(limits, rights, path) : rights;
  return { actor, user, token, limits, session, cursorSecret: user.passwordVersion, ...left };
};

/** Whether the credential of a user is still good: the password, the token, or the session that the token belongs to. */
const isProven = (
  { passwordVersion }: UserPrincipal,
  user: User,
  token: Token | undefined,
  session: Session | undefined,
): boolean => {
  if (!token) return user.passwordVersion === passwordVersion;
  if (token.kind !== 'session') return isTokenOf(token, user);
  return session?.sessionId === token.sessionId && isLive(session, user);
};

/** What the role, the membership and the grants of a user allow. */
export const rightsOfUser = (user: User, { workspace, repository }: PathItems, loaded: IdentityMap): Rights => {
  const isSystemAdmin = user.userRole === 'system-admin';
  const membership = workspace && loaded.find(membershipKey(workspace.workspaceId, user.userId));
  const isWorkspaceAdmin = isSystemAdmin || membership?.role === 'admin';
  const granted = repository && levelOn(repository.workspaceId, membership, repository.repositoryId, loaded);
  return {
    isSystemAdmin,
    workspaces: { isEvery: isSystemAdmin, among: undefined },
    seesWorkspace: isSystemAdmin || membership !== undefined,
    isWorkspaceAdmin,
    level: repository && isWorkspaceAdmin ? 'canManage' : granted,
    repositories: { grantedTo: isWorkspaceAdmin ? undefined : membership, among: undefined },
  };
};

/** Whom a token without a user stands for, and what it may do; undefined if that has ended. */
const machineOf = (token: WorkspaceToken | TrustToken, loaded: IdentityMap) => {
  const { tokenId } = token;
  if (token.kind === 'workspace') {
    const actor: Actor = { kind: 'workspace-token', id: token.actorId, name: token.name, tokenId };
    return { actor, grants: token.grants };
  }
  const trust = loaded.find(trustKey(token.trustId));
  // The conditions that the pipeline met may be others now.
  if (trust?.revision !== token.trustRevision) return undefined;
  const actor: Actor = { kind: 'trust', id: trust.trustId, name: trust.name, tokenId };
  const levels = trust.repositories.map(({ repositoryId, level }) => [repositoryId, level]);
  return { actor, grants: { repositories: Object.fromEntries(levels) } };
};

/** A token of a workspace ends with it, and a token of a trust with the trust as well. */
const machineCaller = (
  { actorId, workspaceId }: MachinePrincipal,
  token: Token | undefined,
  path: PathItems,
  loaded: IdentityMap,
): Caller | undefined => {
  const isOfMachine = token?.kind === 'workspace' || token?.kind === 'trust';
  const isThere = path.workspace?.workspaceId === workspaceId || loaded.find(workspaceKey(workspaceId)) !== undefined;
  if (!isOfMachine || !isThere) return undefined;
  const machine = machineOf(token, loaded);
  if (machine?.actor.id !== actorId || token.workspaceId !== workspaceId) return undefined;
  const { actor, grants } = machine;
  const rights = rightsOfMachine(workspaceId, grants, path);
  return {
    actor,
    user: undefined,
    token,
    limits: undefined,
    session: undefined,
    cursorSecret: token.tokenHash,
    ...rights,
  };
};

/** A machine is never an admin: it sees one workspace, and in it the repositories that it has a level on. */
const rightsOfMachine = (workspaceId: string, grants: MachineGrants, { workspace, repository }: PathItems): Rights => {
  const seesWorkspace = workspace?.workspaceId === workspaceId;
  const granted = 'level' in grants ? () => grants.level : (id: string) => grants.repositories[id];
  return {
    isSystemAdmin: false,
    workspaces: { isEvery: false, among: [workspaceId] },
    seesWorkspace,
    isWorkspaceAdmin: false,
    level: seesWorkspace && repository ? granted(repository.repositoryId) : undefined,
    repositories: { grantedTo: undefined, among: 'level' in grants ? undefined : Object.keys(grants.repositories) },
  };
};
