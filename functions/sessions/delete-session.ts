import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { targetUserKeys, targetUserOf } from '../../shared/http/target-user.ts';
import { endSession, isLive, type Session } from '../../shared/table/identity/sessions.ts';
import { type Key, sessionKey } from '../../shared/table/keys.ts';
import { idOf } from '../../shared/table/references.ts';
import { deleteSession } from './contracts.ts';

/** The key of the session in the path; none if the text is not an ID. */
const targetKeys = ({ session }: { readonly session: string }): readonly Key<Session>[] => {
  const id = idOf(session);
  return id === undefined ? [] : [sessionKey(id)];
};

export const handler = endpoint(
  deleteSession,
  async (call) => {
    const { params, table, loaded } = call;
    const user = targetUserOf(call);
    const [session] = targetKeys(params).map((key) => loaded.find(key));
    if (!session || !isLive(session, user)) throw new ApiError('SESSION_NOT_FOUND');
    await endSession(table, session, 'revoked');
    return { sessionId: session.sessionId, status: 'deleted' as const };
  },
  { alsoRead: (call) => [...targetUserKeys(call), ...targetKeys(call.params)] },
);
