import { endpoint } from '../../shared/http/endpoint.ts';
import { mapEntries } from '../../shared/table/lists.ts';
import { listTokens } from '../../shared/table/tokens.ts';
import { listPersonalAccessTokens } from './contracts.ts';
import { personalAccessTokenRecord } from './record.ts';

export const handler = endpoint(listPersonalAccessTokens, async ({ caller, table, page }) =>
  mapEntries(await listTokens(table, caller.user, page), personalAccessTokenRecord),
);
