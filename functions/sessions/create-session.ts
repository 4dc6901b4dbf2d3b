import { userActor } from '../../shared/auth/actor.ts';
import { newSessionCookie } from '../../shared/auth/session-cookies.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { findUserByPassword } from '../../shared/http/password-check.ts';
import { startSession } from '../../shared/table/identity/sessions.ts';
import { createSession } from './contracts.ts';
import { signedInAnswer } from './record.ts';

/** Longer texts say no more of a browser. */
const userAgentLengthMax = 200;

export const handler = endpoint(createSession, async ({ body, table, source, header, baseUrl }) => {
  const user = await findUserByPassword(table, body.username, body.password, source);
  if (!user) throw new ApiError('SIGN_IN_REFUSED');
  table.author = { actor: userActor(user), ...source, operation: createSession.id };
  const token = newToken('session');
  const userAgent = (header('user-agent') ?? '').slice(0, userAgentLengthMax);
  const browser = { sourceAddress: source.sourceAddress, userAgent };
  const signedIn = await startSession(table, user, { cookie: newSessionCookie(), token }, browser);
  return signedInAnswer(signedIn, token, baseUrl);
});
