import { ApiError } from '../../shared/errors.ts';
import type { UserCaller } from '../../shared/http/caller.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, tokenKey } from '../../shared/table/keys.ts';
import { idOf } from '../../shared/table/references.ts';
import { isPersonal, isTokenOf, type PersonalToken, type Token } from '../../shared/table/tokens.ts';

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
  caller: UserCaller;
  loaded: IdentityMap;
}): PersonalToken => {
  const [token] = targetTokenKeys({ params }).map((key) => loaded.find(key));
  if (!token || !isPersonal(token) || !(caller.isSystemAdmin || isTokenOf(token, caller.user)))
    throw new ApiError('TOKEN_NOT_FOUND');
  return token;
};
