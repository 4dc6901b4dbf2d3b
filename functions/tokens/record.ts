import type { Infer } from '../../shared/http/schema.ts';
import type { PersonalToken } from '../../shared/table/tokens.ts';
import type { personalAccessTokenSchema } from './contracts.ts';

/** The wire record of a token, without the token itself. */
export const personalAccessTokenRecord = (token: PersonalToken): Infer<typeof personalAccessTokenSchema> => ({
  id: token.tokenId,
  name: token.name,
  expirationDate: token.expirationDate,
  createdAt: token.createdAt,
  lastUsedAt: token.lastUsedAt ?? null,
});
