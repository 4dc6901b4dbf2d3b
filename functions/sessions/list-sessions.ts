import { endpoint } from '../../shared/http/endpoint.ts';
import { targetUserKeys, targetUserOf } from '../../shared/http/target-user.ts';
import { listSessionsOf } from '../../shared/table/identity/sessions.ts';
import { listSessions } from './contracts.ts';
import { sessionRecord } from './record.ts';

export const handler = endpoint(
  listSessions,
  async (call) =>
    listSessionsOf(call.table, targetUserOf(call), call.page, (session) => sessionRecord(session, call.caller.session)),
  { alsoRead: targetUserKeys },
);
