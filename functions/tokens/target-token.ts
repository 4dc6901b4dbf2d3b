import { ApiError } from '../../shared/errors.ts';
import type { Caller } from '../../shared/http/authorization.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, tokenKey } from '../../shared/table/keys.ts';
import { idOf } from '../../shared/table/references.ts';
import { isTokenOf, type Token } from '../../shared/table/tokens.ts';

interface Params {
  readonly tokenId: string;
}

/** The keys that the first read must bring to find the token in the path; none if the text is not an ID. */
export const targetTokenKeys = ({ params }: { params: Params }): readonly Key<Token>[] => {
  const id = idOf(params.tokenId);
  return id === undefined ? [] : [tokenKey(id)];
};

/** The token in the path. It must be the caller's own, unless the caller is a System Admin. */
export const targetTokenOf = ({
  params,
  caller,
  loaded,
}: {
  params: Params;
  caller: Caller;
  loaded: IdentityMap;
}): Token => {
  const [token] = targetTokenKeys({ params }).map((key) => loaded.find(key));
  if (!token || !(caller.isSystemAdmin || isTokenOf(token, caller.user))) throw new ApiError('TOKEN_NOT_FOUND');
  return token;
};
