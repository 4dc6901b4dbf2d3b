import { endpoint } from '../../shared/http/endpoint.ts';
import { targetUserKeys, targetUserOf } from '../../shared/http/target-user.ts';
import { listTokens } from '../../shared/table/tokens.ts';
import { listUserPersonalAccessTokens } from './contracts.ts';
import { personalAccessTokenRecord } from './record.ts';

export const handler = endpoint(
  listUserPersonalAccessTokens,
  async (call) => listTokens(call.table, targetUserOf(call), call.page, personalAccessTokenRecord),
  { alsoRead: targetUserKeys },
);
