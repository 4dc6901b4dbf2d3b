import { endpoint } from '../../shared/http/endpoint.ts';
import { tokensOfUserList } from '../../shared/table/keys.ts';
import { isTokenOf, listTokens } from '../../shared/table/tokens.ts';
import { listPersonalAccessTokens } from './contracts.ts';
import { personalAccessTokenRecord } from './record.ts';
import { listed } from './unused.ts';

export const handler = endpoint(listPersonalAccessTokens, async ({ query, caller: { user }, table, page }) =>
  listTokens(table, tokensOfUserList(user.userId), page, (token) =>
    isTokenOf(token, user) ? listed(personalAccessTokenRecord(token), query) : undefined,
  ),
);
