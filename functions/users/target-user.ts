import { ApiError } from '../../shared/errors.ts';
import { type Caller, isOneself } from '../../shared/http/authorization.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { locate, users } from '../../shared/table/locate.ts';
import type { User } from '../../shared/table/users.ts';

/** What the first read of a request must bring to know the user in its path. */
export const targetUserKeys = ({ params, loaded }: { params: { user: string }; loaded: IdentityMap }): readonly Key[] =>
  locate(users, params.user, loaded).next;

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
  const { item } = locate(users, params.user, loaded);
  if (!item) throw new ApiError('USER_NOT_FOUND');
  return item;
};
