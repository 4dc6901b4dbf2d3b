import { endpoint } from '../../shared/http/endpoint.ts';
import { rotatePersonalAccessToken } from './contracts.ts';
import { expirationRule } from './expiration.ts';
import { newPersonalAccessTokenRecord } from './record.ts';
import { rotate } from './rotation.ts';
import { ownTokenOf, targetTokenKeys } from './target-token.ts';

export const handler = endpoint(
  rotatePersonalAccessToken,
  async (call) => {
    const { body, caller, table } = call;
    const { token, secret, rotation } = await rotate(table, ownTokenOf(call), body, caller.token);
    return { ...newPersonalAccessTokenRecord(token, secret), ...rotation };
  },
  { rules: [expirationRule], alsoRead: targetTokenKeys },
);
