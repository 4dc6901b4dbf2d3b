import { endpoint } from '../../shared/http/endpoint.ts';
import { getPersonalAccessToken } from './contracts.ts';
import { personalAccessTokenRecord } from './record.ts';
import { targetTokenKeys, visibleTokenOf } from './target-token.ts';

export const handler = endpoint(
  getPersonalAccessToken,
  async (call) => personalAccessTokenRecord(visibleTokenOf(call)),
  { alsoRead: targetTokenKeys },
);
