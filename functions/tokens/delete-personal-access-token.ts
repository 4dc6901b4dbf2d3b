import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { type Key, tokenKey } from '../../shared/table/keys.ts';
import { parseReference } from '../../shared/table/references.ts';
import { removeToken, tokenOf } from '../../shared/table/tokens.ts';
import { deletePersonalAccessToken } from './contracts.ts';

const keyOf = (text: string): Key | undefined => {
  const reference = parseReference(text);
  return reference && 'id' in reference ? tokenKey(reference.id) : undefined;
};

export const handler = endpoint(
  deletePersonalAccessToken,
  async ({ params, caller, loaded, table }) => {
    const key = keyOf(params.token);
    const token = key && tokenOf(loaded.find(key));
    const mayDelete = caller.isSystemAdmin || token?.userId === caller.user.userId;
    if (!token || !mayDelete) throw new ApiError('TOKEN_NOT_FOUND');
    await removeToken(table, token);
    return { id: token.tokenId, status: 'deleted' as const };
  },
  { alsoRead: ({ params }) => [keyOf(params.token) ?? []].flat() },
);
