import { hashTurn, type SessionCookie } from '../../auth/session-cookies.ts';
import { hashToken, tokenIdOf } from '../../auth/tokens.ts';
import type { Change } from '../changes.ts';
import type { Table } from '../client.ts';
import { sessionEntryKey, sessionKey, sessionsOfUserList, tokenKey, userKey } from '../keys.ts';
import { listPage, type PageRequest } from '../lists.ts';
import { insertion } from '../writes.ts';
import type { SessionToken } from './tokens.ts';
import type { User } from './users.ts';

const minuteMilliseconds = 60_000;
const hourMilliseconds = 60 * minuteMilliseconds;

/** How long the token of a session lasts, and how long after the password it may do what is delicate. */
const tokenMilliseconds = 15 * minuteMilliseconds;
const idleMilliseconds = 12 * hourMilliseconds;
const lifetimeMilliseconds = 30 * 24 * hourMilliseconds;

/** The session of a browser, as stored. Of its cookie there are only hashes. */
export interface Session {
  readonly sessionId: string;
  readonly familyHash: string;
  readonly turnHash: string;
  /** The turn before, from which the present one was made with the seed, and when. */
  readonly formerTurnHash?: string | undefined;
  readonly turnSeed?: string | undefined;
  readonly renewedAt: string;
  readonly userId: string;
  readonly username: string;
  /** Of the user when the session began: a new password, the revocation of all tokens and disabling the user end it. */
  readonly passwordVersion: string;
  readonly tokenGeneration?: string | undefined;
  readonly sessionGeneration?: string | undefined;
  /** When the user sent the password last. */
  readonly passwordProvenAt: string;
  readonly createdAt: string;
  readonly sourceAddress: string;
  /** What the browser says of itself. */
  readonly userAgent: string;
  /** When it ends if it is not renewed before. */
  readonly idleUntil: string;
  /** When it ends in any case. */
  readonly endsAt: string;
  /** In seconds. DynamoDB removes the item up to days later. */
  readonly expiresAt: number;
}

/** What a page gets: a token, and the cookie with which it gets the next. */
export interface SignedIn {
  readonly session: Session;
  readonly token: SessionToken;
  readonly cookie: SessionCookie;
}

const isPast = (time: string): boolean => Date.parse(time) <= Date.now();

/** Whether a session has not ended. */
export const isLive = ({ idleUntil, endsAt, ...session }: Session, user: User): boolean =>
  !isPast(idleUntil) &&
  !isPast(endsAt) &&
  !user.disabled &&
  session.userId === user.userId &&
  session.passwordVersion === user.passwordVersion &&
  session.tokenGeneration === user.tokenGeneration &&
  session.sessionGeneration === user.sessionGeneration;

/** Whether the user sent the password so lately that the session may do what is delicate. */
export const isRecentlyProven = ({ passwordProvenAt }: Session): boolean =>
  Date.parse(passwordProvenAt) > Date.now() - tokenMilliseconds;

/** Until when the session may do what is delicate. */
export const provenUntil = ({ passwordProvenAt }: Session): string =>
  new Date(Date.parse(passwordProvenAt) + tokenMilliseconds).toISOString();

const secondsOf = (time: string): number => Math.ceil(Date.parse(time) / 1000);

/** How much longer the cookie of a session is good for, in seconds. */
export const secondsLeft = ({ idleUntil }: Session): number =>
  Math.max(0, secondsOf(idleUntil) - Math.ceil(Date.now() / 1000));

const earlier = (one: string, other: string): string => (one < other ? one : other);

/** Until when a session lasts that is used now. */
export const idleFrom = (now: number, endsAt: string): Pick<Session, 'idleUntil' | 'expiresAt'> => {
  const idleUntil = earlier(new Date(now + idleMilliseconds).toISOString(), endsAt);
  return { idleUntil, expiresAt: secondsOf(idleUntil) };
};

/** A token of a session: never longer than the session itself. */
export const sessionTokenOf = ({ sessionId, userId, username, endsAt }: Session, secret: string): SessionToken => {
  const tokenHash = hashToken(secret);
  const now = Date.now();
  const expirationDate = earlier(new Date(now + tokenMilliseconds).toISOString(), endsAt);
  return {
    kind: 'session',
    tokenId: tokenIdOf(tokenHash),
    tokenHash,
    name: 'console',
    userId,
    username,
    sessionId,
    createdAt: new Date(now).toISOString(),
    expirationDate,
    expiresAt: secondsOf(expirationDate),
  };
};

const changeOf = (session: Session, action: 'session.started' | 'session.ended', reason?: EndReason): Change => {
  const { sessionId, userId, username, createdAt, sourceAddress, userAgent } = session;
  const fields = { username, createdAt, sourceAddress, userAgent };
  return {
    action,
    workspaceId: null,
    target: { id: sessionId, name: username },
    alsoConcerns: [userId],
    before: action === 'session.ended' ? fields : null,
    after: reason ? { reason } : fields,
  };
};

/** The ID of the session that a cookie belongs to. */
const sessionIdOf = ({ family }: SessionCookie): string => tokenIdOf(hashToken(family));

/** Where a browser signs in. */
type Browser = Pick<Session, 'sourceAddress' | 'userAgent'>;

const newSession = (user: User, cookie: SessionCookie, browser: Browser): Session => {
  const now = Date.now();
  const createdAt = new Date(now).toISOString();
  const endsAt = new Date(now + lifetimeMilliseconds).toISOString();
  const { userId, username, passwordVersion, tokenGeneration, sessionGeneration } = user;
  return {
    ...browser,
    sessionId: sessionIdOf(cookie),
    familyHash: hashToken(cookie.family),
    turnHash: hashTurn(cookie.turn),
    userId,
    username,
    passwordVersion,
    tokenGeneration,
    sessionGeneration,
    createdAt,
    renewedAt: createdAt,
    passwordProvenAt: createdAt,
    endsAt,
    ...idleFrom(now, endsAt),
  };
};

/** Begins the session of a user who has just sent the password. */
export const startSession = async (
  table: Table,
  user: User,
  secrets: { readonly cookie: SessionCookie; readonly token: string },
  browser: Browser,
): Promise<SignedIn> => {
  const { cookie } = secrets;
  const session = newSession(user, cookie, browser);
  const token = sessionTokenOf(session, secrets.token);
  const refusal = await table.write(
    [
      insertion(sessionKey(session.sessionId), session),
      // A session is never longer in the list than it may last at most.
      { put: { ...sessionEntryKey(session), id: session.sessionId, expiresAt: secondsOf(session.endsAt) } },
      insertion(tokenKey(token.tokenId), token),
    ],
    changeOf(session, 'session.started'),
  );
  if (refusal) throw new Error('A new session has the ID of another one.');
  return { session, token, cookie };
};

/** The session of a cookie, whatever its turn. */
const findSession = async (table: Table, cookie: SessionCookie): Promise<Session | undefined> => {
  const key = sessionKey(sessionIdOf(cookie));
  const session = (await table.read([key])).find(key);
  return session?.familyHash === hashToken(cookie.family) ? session : undefined;
};

/** The session of a cookie with its user, if it has not ended. */
export const findLiveSession = async (
  table: Table,
  cookie: SessionCookie,
): Promise<{ readonly session: Session; readonly user: User } | undefined> => {
  const session = await findSession(table, cookie);
  if (!session) return undefined;
  const key = userKey(session.username);
  const user = (await table.read([key])).find(key);
  return user && isLive(session, user) ? { session, user } : undefined;
};

/** Why a session ends before its time. */
type EndReason = 'signed out' | 'revoked' | 'cookie copied';

/** Ends a session, unless it has ended: its tokens end with it. */
export const endSession = async (table: Table, session: Session, reason: EndReason): Promise<void> => {
  await table.write(
    [{ remove: sessionKey(session.sessionId), if: 'attribute_exists(pk)' }, { remove: sessionEntryKey(session) }],
    changeOf(session, 'session.ended', reason),
  );
};

/** Lists the live sessions of a user by their beginning, as far as `turn` makes something of them. */
export const listSessionsOf = <R>(table: Table, user: User, page: PageRequest, turn: (session: Session) => R) =>
  listPage(table, sessionsOfUserList(user.userId), page, async (entries) => {
    const keys = entries.map(({ id }) => sessionKey(id));
    const sessions = await table.read(keys);
    return keys.map((key) => {
      const session = sessions.find(key);
      return session && isLive(session, user) ? turn(session) : undefined;
    });
  });
