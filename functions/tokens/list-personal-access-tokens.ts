import { endpoint } from '../../shared/http/endpoint.ts';
import { listTokens } from '../../shared/table/identity/tokens.ts';
import { tokensOfUserList } from '../../shared/table/keys.ts';
import { listPersonalAccessTokens } from './contracts.ts';
import { personalAccessTokenRecord } from './record.ts';
import { sees } from './target-token.ts';
import { listed } from './unused.ts';

export const handler = endpoint(listPersonalAccessTokens, async ({ query, caller, table, page }) =>
  listTokens(table, tokensOfUserList(caller.user.userId), page, (token) =>
    sees(caller, token) ? listed(personalAccessTokenRecord(token), query) : undefined,
  ),
);
