import { ApiError } from '../../shared/errors.ts';
import type { UserCaller } from '../../shared/http/caller.ts';
import { isNarrow } from '../../shared/http/token-limits.ts';
import { isPersonal, isTokenOf, type PersonalToken, type Token } from '../../shared/table/identity/tokens.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, tokenKey } from '../../shared/table/keys.ts';
import { idOf } from '../../shared/table/references.ts';

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

/** The token in the path, to read it: one that the caller can list, or that of anybody for a System Admin. */
export const visibleTokenOf = (call: TargetCall): PersonalToken =>
  personalTokenOf(call, (token) => call.caller.isSystemAdmin || sees(call.caller, token));

/** The token in the path, to delete it. A token with limits can delete itself alone. */
export const removableTokenOf = (call: TargetCall): PersonalToken =>
  personalTokenOf(call, (token) =>
    call.caller.limits ? isItself(call.caller, token) : call.caller.isSystemAdmin || isTokenOf(token, call.caller.user),
  );

/**
 * The token in the path, to replace it. It must be the caller's own, because who replaces a token can act as its user; a token with
 * limits can replace itself alone.
 */
export const ownTokenOf = (call: TargetCall): PersonalToken =>
  personalTokenOf(call, (token) =>
    call.caller.limits ? isItself(call.caller, token) : isTokenOf(token, call.caller.user),
  );

const isItself = ({ user, token: own }: UserCaller, token: Token): boolean =>
  isTokenOf(token, user) && token.tokenId === own?.tokenId;

/** Whether a token is one that the caller can list: its own, and with a limit beyond reading only the token itself. */
export const sees = (caller: UserCaller, token: Token): token is PersonalToken =>
  caller.limits && isNarrow(caller.limits) ? isItself(caller, token) : isTokenOf(token, caller.user);

const personalTokenOf = ({ params, loaded }: TargetCall, isAllowed: (token: Token) => boolean): PersonalToken => {
  const [token] = targetTokenKeys({ params }).map((key) => loaded.find(key));
  if (!token || !isPersonal(token) || !isAllowed(token)) throw new ApiError('TOKEN_NOT_FOUND');
  return token;
};
