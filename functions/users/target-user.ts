import { ApiError } from '../../shared/errors.ts';
import { type Caller, isOneself } from '../../shared/http/authorization.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { parseReference } from '../../shared/table/references.ts';
import { loadedUser, type User, userKeysOf } from '../../shared/table/users.ts';

/** What the first read of a request must bring to know the user in its path. */
export const targetUserKeys = ({ params, loaded }: { params: { user: string }; loaded: IdentityMap }): Key[] => {
  const reference = parseReference(params.user);
  return reference ? userKeysOf(reference, loaded) : [];
};

/** The user in the path of a request. */
export const targetUserOf = ({
  params,
  caller,
  loaded,
}: {
  params: { user: string };
  caller: Caller;
  loaded: IdentityMap;
}): User => {
  if (isOneself(caller, params.user)) return caller.user;
  const reference = parseReference(params.user);
  const user = reference && loadedUser(reference, loaded);
  if (!user) throw new ApiError('USER_NOT_FOUND');
  return user;
};
