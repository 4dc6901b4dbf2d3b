import { ApiError } from '../errors.ts';
import type { User } from '../table/identity/users.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import type { Key } from '../table/keys.ts';
import { locate, users } from '../table/locate.ts';
import { isOneself } from './authorization.ts';
import type { UserCaller } from './caller.ts';

/** The keys that the first read must bring to find the user in the path. */
export const targetUserKeys = ({ params, loaded }: { params: { user: string }; loaded: IdentityMap }): readonly Key[] =>
  locate(users, params.user, loaded).next;

/** The user in the path of a request: an ID, a username or `me`. */
export const targetUserOf = ({
  params,
  caller,
  loaded,
}: {
  params: { user: string };
  caller: UserCaller;
  loaded: IdentityMap;
}): User => {
  if (isOneself(caller, params.user)) return caller.user;
  const { item } = locate(users, params.user, loaded);
  if (!item) throw new ApiError('USER_NOT_FOUND');
  return item;
};
