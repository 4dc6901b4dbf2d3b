import { endpoint } from '../../shared/http/endpoint.ts';
import { targetUserKeys, targetUserOf } from '../../shared/http/target-user.ts';
import { isNarrow } from '../../shared/http/token-limits.ts';
import { listSessionsOf } from '../../shared/table/identity/sessions.ts';
import { listSessions } from './contracts.ts';
import { sessionRecord } from './record.ts';

export const handler = endpoint(
  listSessions,
  async (call) => {
    const user = targetUserOf(call);
    const { limits, session: current } = call.caller;
    if (limits && isNarrow(limits)) return { entries: [], next: undefined };
    return listSessionsOf(call.table, user, call.page, (session) => sessionRecord(session, current));
  },
  { alsoRead: targetUserKeys },
);
