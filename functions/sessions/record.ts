import { storedCookie } from '../../shared/auth/session-cookies.ts';
import { provenUntil, type Session, type SignedIn, secondsLeft } from '../../shared/table/identity/sessions.ts';

/** The wire record of a session, without anything of its cookie. */
const sessionFields = (session: Session) => {
  const { sessionId: id, createdAt, renewedAt, idleUntil, endsAt, sourceAddress, userAgent } = session;
  const passwordProvenUntil = provenUntil(session);
  return { id, createdAt, renewedAt, idleUntil, endsAt, passwordProvenUntil, sourceAddress, userAgent };
};

/** The same in the list, which says whether the request belongs to it. */
export const sessionRecord = (session: Session, current: Session | undefined) => ({
  ...sessionFields(session),
  isCurrent: session.sessionId === current?.sessionId,
});

/** What a page gets that has signed in or renewed: the token in the body, and the cookie out of its reach. */
export const signedInAnswer = ({ session, token, cookie }: SignedIn, secret: string, baseUrl: string) => ({
  cookie: storedCookie(baseUrl, cookie, secondsLeft(session)),
  result: {
    id: session.sessionId,
    userId: session.userId,
    token: secret,
    expiresAt: token.expirationDate,
    session: sessionFields(session),
  },
});
