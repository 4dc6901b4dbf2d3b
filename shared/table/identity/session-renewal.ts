import { hashTurn, newTurnSeed, type SessionCookie, turnAfter } from '../../auth/session-cookies.ts';
import type { Table } from '../client.ts';
import { sessionKey, tokenKey } from '../keys.ts';
import { untilSettled } from '../races.ts';
import { foundBy, insertion, type Update } from '../writes.ts';
import { idleFrom, type Session, type SignedIn, sessionTokenOf } from './sessions.ts';

/** How long after a renewal the cookie before it gets the same new one again. */
const graceMilliseconds = 10_000;

/** Whether the turn of a cookie is the one before, and was so until a moment ago. */
const isJustReplaced = (session: Session, turn: string): boolean =>
  session.formerTurnHash === hashTurn(turn) && Date.parse(session.renewedAt) > Date.now() - graceMilliseconds;

/** What a renewal makes of a session, and the turn of its cookie; undefined if the cookie is a copy. */
const renewed = (
  session: Session,
  turn: string,
  isProven: boolean,
): { next: Session; nextTurn: string } | undefined => {
  const now = Date.now();
  const time = new Date(now).toISOString();
  const proof = isProven ? { passwordProvenAt: time } : {};
  const nextTurn = (seed: string) => turnAfter(turn, seed);
  if (isJustReplaced(session, turn))
    return { next: { ...session, ...proof }, nextTurn: nextTurn(session.turnSeed ?? '') };
  if (session.turnHash !== hashTurn(turn)) return undefined;
  const turnSeed = newTurnSeed();
  const next = {
    ...session,
    ...proof,
    ...idleFrom(now, session.endsAt),
    turnHash: hashTurn(nextTurn(turnSeed)),
    formerTurnHash: session.turnHash,
    turnSeed,
    renewedAt: time,
  };
  return { next, nextTurn: nextTurn(turnSeed) };
};

const renewable = [
  'turnHash',
  'formerTurnHash',
  'turnSeed',
  'renewedAt',
  'idleUntil',
  'expiresAt',
  'passwordProvenAt',
] as const satisfies readonly (keyof Session)[];

/** Writes what a renewal changes, if no other one was faster and nobody has ended the session. */
const renewal = (seen: Session, next: Session): Update => {
  const fields = renewable.filter((field) => next[field] !== undefined);
  return {
    update: sessionKey(seen.sessionId),
    set: `SET ${fields.map((field) => `#${field} = :${field}`).join(', ')}`,
    if: '#turnHash = :seen',
    values: { ...Object.fromEntries(fields.map((field) => [`:${field}`, next[field]])), ':seen': seen.turnHash },
  };
};

/**
 * Gives a session the next cookie and a token. With the cookie of an earlier renewal it ends the session: somebody has a copy, and nobody
 * can tell whose is the copy.
 */
export const renewSession = async (
  table: Table,
  found: Session,
  secrets: { readonly cookie: SessionCookie; readonly token: string },
  isProven: boolean,
): Promise<SignedIn | 'copied' | 'ended'> => {
  const { family, turn } = secrets.cookie;
  let session = found;
  return untilSettled(table, async () => {
    const outcome = renewed(session, turn, isProven);
    if (!outcome) return 'copied' as const;
    const { next, nextTurn } = outcome;
    const token = sessionTokenOf(next, secrets.token);
    // Nobody asked to change anything: that the page is still open needs no record.
    const refusal = await table.writeUnrecorded([renewal(session, next), insertion(tokenKey(token.tokenId), token)]);
    if (!refusal) return { session: next, token, cookie: { family, turn: nextTurn } };
    const overtaken = foundBy(sessionKey(session.sessionId), refusal);
    if (!overtaken) return 'ended' as const;
    session = overtaken;
    return undefined;
  });
};
