import { userActor } from '../../shared/auth/actor.ts';
import { sessionCookieIn } from '../../shared/auth/session-cookies.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { ApiError, invalid } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { provesPassword } from '../../shared/http/password-check.ts';
import { renewSession as renew } from '../../shared/table/identity/session-renewal.ts';
import { endSession, findLiveSession } from '../../shared/table/identity/sessions.ts';
import type { User } from '../../shared/table/identity/users.ts';
import { renewSession } from './contracts.ts';
import { signedInAnswer } from './record.ts';

const wrongPassword = (): ApiError => {
  const message = 'password must be your present password.';
  return invalid([{ pointer: '/password', rule: 'current', message }]);
};

/** Whether the user has sent the password; refuses a wrong one. */
const provesAgain = async (user: User, { body, table, source }: Call<typeof renewSession>): Promise<boolean> => {
  if (body.password === undefined) return false;
  if (!(await provesPassword(table, user, body.password, source))) throw wrongPassword();
  return true;
};

export const handler = endpoint(renewSession, async (call) => {
  const { table, source, header, baseUrl } = call;
  const cookie = sessionCookieIn(header('cookie'), baseUrl);
  const found = cookie && (await findLiveSession(table, cookie));
  if (!found) throw new ApiError('SESSION_ENDED');
  const { session, user } = found;
  table.author = { actor: userActor(user), ...source, operation: renewSession.id };
  const token = newToken('session');
  const renewed = await renew(table, session, { cookie, token }, await provesAgain(user, call));
  if (renewed === 'copied') await endSession(table, session, 'cookie copied');
  if (typeof renewed === 'string') throw new ApiError('SESSION_ENDED');
  return signedInAnswer(renewed, token, baseUrl);
});
