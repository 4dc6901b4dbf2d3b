import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { tokenKey } from '../../shared/table/keys.ts';
import { removeToken, tokenOf } from '../../shared/table/tokens.ts';
import { deletePersonalAccessToken } from './contracts.ts';

const keyOf = (text: string) => tokenKey(text.toLowerCase());

export const handler = endpoint(
  deletePersonalAccessToken,
  async ({ params, caller, seen, table }) => {
    const token = tokenOf(seen.find(keyOf(params.token)));
    const mayDelete = caller.isSystemAdmin || token?.userId === caller.user.userId;
    if (!token || !mayDelete) throw new ApiError('TOKEN_NOT_FOUND');
    await removeToken(table, token);
    return { id: token.tokenId, status: 'deleted' as const };
  },
  { alsoRead: ({ params }) => [keyOf(params.token)] },
);
