import { endpoint } from '../../shared/http/endpoint.ts';
import { listTokens } from '../../shared/table/tokens.ts';
import { listPersonalAccessTokens } from './contracts.ts';
import { personalAccessTokenRecord } from './record.ts';

export const handler = endpoint(listPersonalAccessTokens, async ({ caller, table, page }) =>
  listTokens(table, caller.user, page, personalAccessTokenRecord),
);
