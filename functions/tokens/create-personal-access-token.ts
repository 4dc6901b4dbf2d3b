import { newToken } from '../../shared/auth/tokens.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { insertToken } from '../../shared/table/identity/tokens.ts';
import { createPersonalAccessToken } from './contracts.ts';
import { expirationOf, expirationRule } from './expiration.ts';
import { limitsIn, limitsRule } from './limits.ts';
import { newPersonalAccessTokenRecord } from './record.ts';

export const handler = endpoint(
  createPersonalAccessToken,
  async ({ body, caller, table }) => {
    const secret = newToken();
    const { userId, username, tokenGeneration } = caller.user;
    const expirationDate = expirationOf(body.expirationDate ?? null, caller.token);
    const limits = body.limits ? await limitsIn(table, caller.user, body.limits) : undefined;
    const fields = { userId, username, name: body.name, expirationDate, tokenGeneration, limits };
    return newPersonalAccessTokenRecord(await insertToken(table, secret, fields), secret);
  },
  { rules: [expirationRule, limitsRule] },
);
