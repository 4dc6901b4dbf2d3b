import { endpoint } from '../../shared/http/endpoint.ts';
import { removeToken } from '../../shared/table/identity/tokens.ts';
import { deletePersonalAccessToken } from './contracts.ts';
import { removableTokenOf, targetTokenKeys } from './target-token.ts';

export const handler = endpoint(
  deletePersonalAccessToken,
  async (call) => {
    const token = removableTokenOf(call);
    await removeToken(call.table, token);
    return { tokenId: token.tokenId, status: 'deleted' as const };
  },
  { alsoRead: targetTokenKeys },
);
