import { userActor } from '../../shared/auth/actor.ts';
import { removedCookie, sessionCookieIn } from '../../shared/auth/session-cookies.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { endSession, findLiveSession } from '../../shared/table/identity/sessions.ts';
import { deleteCurrentSession } from './contracts.ts';

export const handler = endpoint(deleteCurrentSession, async ({ table, source, header, baseUrl }) => {
  const cookie = sessionCookieIn(header('cookie'), baseUrl);
  const found = cookie && (await findLiveSession(table, cookie));
  if (found) {
    table.author = { actor: userActor(found.user), ...source, operation: deleteCurrentSession.id };
    await endSession(table, found.session, 'signed out');
  }
  return { cookie: removedCookie(baseUrl), result: { status: 'deleted' as const } };
});
