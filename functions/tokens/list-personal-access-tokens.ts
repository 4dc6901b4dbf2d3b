import { endpoint } from '../../shared/http/endpoint.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { mapEntries } from '../../shared/table/lists.ts';
import { listTokens, type Token } from '../../shared/table/tokens.ts';
import { listPersonalAccessTokens, type personalAccessTokenSchema } from './contracts.ts';

const record = (token: Token): Infer<typeof personalAccessTokenSchema> => ({
  id: token.tokenId,
  name: token.name,
  expirationDate: token.expirationDate,
  createdAt: token.createdAt,
  lastUsedAt: token.lastUsedAt ?? null,
});

export const handler = endpoint(listPersonalAccessTokens, async ({ caller, table, page }) =>
  mapEntries(await listTokens(table, caller.user.userId, page), record),
);
