import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { type Key, tokenKey } from '../../shared/table/keys.ts';
import { idOf } from '../../shared/table/references.ts';
import { removeToken, type Token } from '../../shared/table/tokens.ts';
import { deletePersonalAccessToken } from './contracts.ts';

const keyOf = (text: string): Key<Token> | undefined => {
  const id = idOf(text);
  return id === undefined ? undefined : tokenKey(id);
};

export const handler = endpoint(
  deletePersonalAccessToken,
  async ({ params, caller, loaded, table }) => {
    const key = keyOf(params.token);
    const token = key && loaded.find(key);
    const mayDelete = caller.isSystemAdmin || token?.userId === caller.user.userId;
    if (!token || !mayDelete) throw new ApiError('TOKEN_NOT_FOUND');
    await removeToken(table, token);
    return { id: token.tokenId, status: 'deleted' as const };
  },
  { alsoRead: ({ params }) => [keyOf(params.token) ?? []].flat() },
);
