import { hashToken, isToken, tokenIdOf } from '../../shared/auth/tokens.ts';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { isTokenOf, removeToken, type Token } from '../../shared/table/identity/tokens.ts';
import { type Key, tokenKey } from '../../shared/table/keys.ts';
import { deleteNpmToken } from './contracts.ts';
import { npm } from './type.ts';

const keysOf = (secret: string): readonly Key<Token>[] =>
  isToken(secret) ? [tokenKey(tokenIdOf(hashToken(secret)))] : [];

export const handler = endpoint(
  deleteNpmToken,
  async ({ params, caller, repository, loaded, table }) => {
    requireType(repository, npm);
    const [token] = keysOf(params.token).map((key) => loaded.find(key));
    const isNamed = token?.tokenHash === hashToken(params.token);
    const isOwn = isNamed && caller.user && isTokenOf(token, caller.user);
    // A token with limits can end itself alone.
    if (!isOwn || (caller.limits && token.tokenId !== caller.token?.tokenId)) throw new ApiError('TOKEN_NOT_FOUND');
    await removeToken(table, token);
    return { ok: true };
  },
  { alsoRead: ({ params }) => keysOf(params.token) },
);
