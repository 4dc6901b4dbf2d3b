import { isPersonal, type Token } from '../table/identity/tokens.ts';
import type { User } from '../table/identity/users.ts';

/** A user, with the token or with the version of the password that proved it. */
export interface UserPrincipal {
  readonly userId: string;
  readonly username: string;
  readonly tokenId?: string | undefined;
  readonly passwordVersion?: string | undefined;
  /** The session of a browser that gave the token, if one did. */
  readonly sessionId?: string | undefined;
}

/** A caller without a user: the token says who it is, and in which workspace. */
export interface MachinePrincipal {
  readonly actorId: string;
  readonly workspaceId: string;
  readonly tokenId: string;
  /** The trust that gave the token, if one did: it says what the token may do. */
  readonly trustId?: string | undefined;
}

/** Whom the authorizer recognised, perhaps minutes ago, with all that the first read needs to know of it. */
export type Principal = UserPrincipal | MachinePrincipal;

export const isMachine = (principal: Principal): principal is MachinePrincipal => 'workspaceId' in principal;

/** The ID of the actor that the principal stands for. */
export const actorIdOf = (principal: Principal): string =>
  isMachine(principal) ? principal.actorId : principal.userId;

/** The principal of a token that proved its caller. */
export const principalOfToken = (token: Token): Principal => {
  const { tokenId } = token;
  if (isPersonal(token)) return { userId: token.userId, username: token.username, tokenId };
  if (token.kind === 'session')
    return { userId: token.userId, username: token.username, tokenId, sessionId: token.sessionId };
  const { workspaceId } = token;
  if (token.kind === 'workspace') return { actorId: token.actorId, workspaceId, tokenId };
  return { actorId: token.trustId, workspaceId, tokenId, trustId: token.trustId };
};

/** The principal of a user who sent the right password. */
export const principalOfUser = ({ userId, username, passwordVersion }: User): Principal => ({
  userId,
  username,
  passwordVersion,
});

/** The principal in what the authorizer answered; undefined if a part of it is missing. */
export const principalIn = (context: Readonly<Record<string, unknown>>): Principal | undefined => {
  const { userId, username, tokenId, passwordVersion, sessionId, actorId, workspaceId, trustId } = context as Partial<
    Record<string, string>
  >;
  if (userId && username && (tokenId || passwordVersion))
    return { userId, username, tokenId, passwordVersion, sessionId };
  return actorId && workspaceId && tokenId ? { actorId, workspaceId, tokenId, trustId } : undefined;
};
