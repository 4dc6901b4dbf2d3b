import { newToken } from '../../shared/auth/tokens.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { insertToken } from '../../shared/table/tokens.ts';
import { createPersonalAccessToken } from './contracts.ts';
import { expirationOf, expirationRule } from './expiration.ts';

export const handler = endpoint(
  createPersonalAccessToken,
  async ({ body, caller, table }) => {
    const token = newToken();
    const { userId, username, tokenGeneration } = caller.user;
    const expirationDate = expirationOf(body.expirationDate ?? null, caller.token);
    const { tokenId, name, createdAt } = await insertToken(table, token, {
      userId,
      username,
      name: body.name,
      expirationDate,
      tokenGeneration,
    });
    return { id: tokenId, name, token, expirationDate, createdAt };
  },
  { rules: [expirationRule] },
);
