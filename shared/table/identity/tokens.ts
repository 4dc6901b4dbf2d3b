import type { PermissionLevel } from '../../access.ts';
import { hashToken, tokenIdOf } from '../../auth/tokens.ts';
import type { Change, Fields } from '../changes.ts';
import type { Table } from '../client.ts';
import {
  type Entry,
  type Key,
  type ListKey,
  tokenKey,
  tokenListKey,
  tokensOfUserList,
  tokensOfWorkspaceList,
} from '../keys.ts';
import { listPage, type PageRequest } from '../lists.ts';
import { foundBy, insertion, type Write } from '../writes.ts';
import { accessChanged } from './access-version.ts';
import { hourToNote, type Used } from './last-use.ts';
import type { User } from './users.ts';

const dayMilliseconds = 86_400_000;

/** What every token has, as stored: its hash, and never the token itself. */
interface AnyToken extends Used {
  readonly tokenId: string;
  readonly tokenHash: string;
  readonly name: string;
  /** Null if the token never expires. */
  readonly expirationDate: string | null;
  readonly createdAt: string;
  /** The token that took its place. */
  readonly replacedBy?: string;
}

/** What a personal access token may do at most, whatever its user may. */
export interface TokenLimits {
  /** The workspaces, by ID: in each its repositories, by ID; null: all of them. Absent: all workspaces. */
  readonly workspaces?: Readonly<Record<string, readonly string[] | null>>;
  /** The highest level on a repository. */
  readonly level?: PermissionLevel;
  /** Whether it may only read. */
  readonly readOnly?: boolean;
}

/** A personal access token. */
export interface PersonalToken extends AnyToken {
  readonly kind?: undefined;
  readonly userId: string;
  readonly username: string;
  /** The generation of its user's tokens in which it was made. */
  readonly tokenGeneration?: string | undefined;
  readonly limits?: TokenLimits | undefined;
  /** In seconds. DynamoDB removes the item up to days later: nobody deletes what a client made for a login. */
  readonly expiresAt?: number;
}

/**
 * The generation that a token must have. Release 0.2.0 knows no limits and would ignore them: so that it refuses the token
 * instead, a limited one never has the generation of its user.
 */
const generationOf = (tokenGeneration: string | undefined, limits: TokenLimits | undefined): string | undefined =>
  limits ? `limited ${tokenGeneration ?? ''}` : tokenGeneration;

/** What a caller without a user may do: one level on every repository of its workspace, or a level on each of some, by ID. */
export type MachineGrants =
  | { readonly level: PermissionLevel }
  | { readonly repositories: Readonly<Record<string, PermissionLevel>> };

/** A token of a workspace, with no user behind it. */
export interface WorkspaceToken extends AnyToken {
  readonly kind: 'workspace';
  readonly workspaceId: string;
  /** The ID of the first of the tokens that took each other's place: in records, all of them are one. */
  readonly actorId: string;
  /** The user who made it. */
  readonly createdBy: string;
  readonly grants: MachineGrants;
}

/** A token that a trust gave to a pipeline. What it may do is in the trust, which every request reads. */
export interface TrustToken extends AnyToken {
  readonly kind: 'trust';
  readonly workspaceId: string;
  readonly trustId: string;
  /** The revision of the trust whose conditions the pipeline met. */
  readonly trustRevision: number;
  readonly expirationDate: string;
  /** In seconds. DynamoDB removes the item up to days later. */
  readonly expiresAt: number;
}

/** A token of a quarter of an hour, which a session of the console gave to its page. It ends with the session. */
export interface SessionToken extends AnyToken {
  readonly kind: 'session';
  readonly userId: string;
  readonly username: string;
  readonly sessionId: string;
  readonly expirationDate: string;
  /** In seconds. DynamoDB removes the item up to days later. */
  readonly expiresAt: number;
}

/** A token that somebody lists, revokes and rotates. */
export type ListedToken = PersonalToken | WorkspaceToken;

export type Token = ListedToken | TrustToken | SessionToken;

export const isPersonal = (token: Token): token is PersonalToken => token.kind === undefined;

/** Whether a token has not expired. */
export const isCurrent = (token: Token): boolean =>
  token.expirationDate === null || Date.parse(token.expirationDate) > Date.now();

/** Whether a token that has not expired was not used for some days. */
export const isUnused = (token: Token, days: number): boolean =>
  isCurrent(token) && Date.parse(token.lastUsedAt ?? token.createdAt) < Date.now() - days * dayMilliseconds;

/** Whether a token is its user's, and not one of those that the user has revoked all together. */
export const isTokenOf = (token: Token, user: Pick<User, 'userId' | 'tokenGeneration'>): token is PersonalToken =>
  isPersonal(token) &&
  token.userId === user.userId &&
  token.tokenGeneration === generationOf(user.tokenGeneration, token.limits);

/** Finds the stored token of a token. */
export const findTokenBySecret = async (table: Table, secret: string): Promise<Token | undefined> => {
  const tokenHash = hashToken(secret);
  const key = tokenKey(tokenIdOf(tokenHash));
  const token = (await table.read([key])).find(key);
  return token?.tokenHash === tokenHash ? token : undefined;
};

type NewToken = Pick<
  PersonalToken,
  'userId' | 'username' | 'name' | 'expirationDate' | 'tokenGeneration' | 'limits' | 'expiresAt'
>;

/** The key of a token in the list of its user or of its workspace. */
export const tokenEntryKey = (token: ListedToken): Key<Entry> => {
  const list = isPersonal(token) ? tokensOfUserList(token.userId) : tokensOfWorkspaceList(token.workspaceId);
  return tokenListKey(list, token.name, token.tokenId);
};

/** A new token of a user, and the writes that store it. */
export const tokenInsertion = (
  secret: string,
  fields: NewToken,
): { token: PersonalToken; writes: readonly Write[] } => {
  const tokenHash = hashToken(secret);
  const token: PersonalToken = {
    ...fields,
    tokenGeneration: generationOf(fields.tokenGeneration, fields.limits),
    tokenId: tokenIdOf(tokenHash),
    tokenHash,
    createdAt: new Date().toISOString(),
  };
  const { tokenId, expiresAt } = token;
  const entry = { id: tokenId, ...(expiresAt !== undefined && { expiresAt }) };
  const writes = [insertion(tokenKey(tokenId), token), insertion(tokenEntryKey(token), entry)];
  return { token, writes };
};

/** A token whose creation has a record. Those of a session have none: their session has one. */
type RecordedToken = Exclude<Token, SessionToken>;

/** The fields of a token that a record has: nothing of its secret. */
export const tokenFields = (token: RecordedToken): Fields => {
  const { name, expirationDate, createdAt } = token;
  const common = { name, expirationDate, createdAt };
  if (token.kind === 'trust') return { ...common, trustId: token.trustId };
  if (token.kind === 'workspace') return { ...common, createdBy: token.createdBy, grants: token.grants };
  const { userId, username, limits } = token;
  return { ...common, userId, username, ...(limits && { limits }) };
};

/** Whom or what a token is about: its user, or the repositories on which it has a right of its own. */
export const concernedBy = (token: RecordedToken): readonly string[] => {
  if (isPersonal(token)) return [token.userId];
  return token.kind === 'workspace' && 'repositories' in token.grants ? Object.keys(token.grants.repositories) : [];
};

/** What a record says of a token that is created or deleted. */
export const tokenChange = (action: 'token.created' | 'token.deleted', token: RecordedToken): Change => ({
  action,
  workspaceId: isPersonal(token) ? null : token.workspaceId,
  target: { id: token.tokenId, name: token.name },
  alsoConcerns: concernedBy(token),
  before: action === 'token.deleted' ? tokenFields(token) : null,
  after: action === 'token.deleted' ? null : tokenFields(token),
});

/** Stores a new token of a user. */
export const insertToken = async (table: Table, secret: string, fields: NewToken): Promise<PersonalToken> => {
  const { token, writes } = tokenInsertion(secret, fields);
  const refusal = await table.write(writes, tokenChange('token.created', token));
  if (refusal) throw new Error('A new token has the ID of another one.');
  return token;
};

/** Lists tokens by name, then by ID, as far as `turn` makes something of them. */
export const listTokens = <R>(
  table: Table,
  list: ListKey<Entry>,
  page: PageRequest,
  turn: (token: Token) => R | undefined,
) =>
  listPage(table, list, page, async (entries) => {
    const keys = entries.map(({ id }) => tokenKey(id));
    const tokens = await table.read(keys);
    return keys.map((key) => {
      const token = tokens.find(key);
      return token && turn(token);
    });
  });

/** Removes a token, unless it is gone because another request was faster. */
export const removeToken = async (table: Table, token: ListedToken): Promise<void> => {
  const { tokenId, tokenHash } = token;
  const key = tokenKey(tokenId);
  const refusal = await table.write(
    [
      { remove: key, if: '#tokenHash = :tokenHash', values: { ':tokenHash': tokenHash } },
      { remove: tokenEntryKey(token), if: '#id = :tokenId', values: { ':tokenId': tokenId } },
      ...(isPersonal(token) ? [accessChanged(token.username)] : []),
    ],
    tokenChange('token.deleted', token),
  );
  if (refusal && foundBy(key, refusal)) throw new Error('A token changed its owner.');
};

/**
 * Stores the hour in which a token is used, once an hour. A token that was removed meanwhile stays removed. Nobody lists the
 * tokens of trusts and of sessions.
 */
export const noteUse = async (table: Table, token: Token): Promise<void> => {
  const isListed = isPersonal(token) || token.kind === 'workspace';
  const hour = isListed ? hourToNote(token) : undefined;
  if (hour === undefined) return;
  await table.update({
    update: tokenKey(token.tokenId),
    set: 'SET #lastUsedAt = :hour',
    if: 'attribute_exists(pk) AND (attribute_not_exists(#lastUsedAt) OR #lastUsedAt < :hour)',
    values: { ':hour': hour },
  });
};
