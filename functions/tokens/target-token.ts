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

interface TargetCall {
  readonly params: Params;
  readonly caller: UserCaller;
  readonly loaded: IdentityMap;
}

/** The token in the path. It must be the caller's own, unless the caller is a System Admin. */
export const targetTokenOf = (call: TargetCall): PersonalToken =>
  call.caller.isSystemAdmin ? personalTokenOf(call, isPersonal) : ownTokenOf(call);

/** The token in the path. It must be the caller's own: who replaces a token can act as its user. */
export const ownTokenOf = (call: TargetCall): PersonalToken =>
  personalTokenOf(call, (token) => isTokenOf(token, call.caller.user));

const personalTokenOf = ({ params, loaded }: TargetCall, isAllowed: (token: Token) => boolean): PersonalToken => {
  const [token] = targetTokenKeys({ params }).map((key) => loaded.find(key));
  if (!token || !isPersonal(token) || !isAllowed(token)) throw new ApiError('TOKEN_NOT_FOUND');
  return token;
};
