import { endpoint } from '../../shared/http/endpoint.ts';
import { targetUserKeys, targetUserOf } from '../../shared/http/target-user.ts';
import { isTokenOf, listTokens } from '../../shared/table/identity/tokens.ts';
import { tokensOfUserList } from '../../shared/table/keys.ts';
import { listUserPersonalAccessTokens } from './contracts.ts';
import { personalAccessTokenRecord } from './record.ts';
import { listed } from './unused.ts';

export const handler = endpoint(
  listUserPersonalAccessTokens,
  async (call) => {
    const user = targetUserOf(call);
    return listTokens(call.table, tokensOfUserList(user.userId), call.page, (token) =>
      isTokenOf(token, user) ? listed(personalAccessTokenRecord(token), call.query) : undefined,
    );
  },
  { alsoRead: targetUserKeys },
);
