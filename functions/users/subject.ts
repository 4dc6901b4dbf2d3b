import { ApiError } from '../../shared/errors.ts';
import { type Caller, isOneself } from '../../shared/http/admission.ts';
import type { Key } from '../../shared/table/keys.ts';
import { parseReference } from '../../shared/table/references.ts';
import type { Seen } from '../../shared/table/seen.ts';
import { seenUser, type User, userKeysOf } from '../../shared/table/users.ts';

/** What the first read of a request must bring to know the user in its path. */
export const subjectKeys = ({ params, seen }: { params: { user: string }; seen: Seen }): Key[] => {
  const reference = parseReference(params.user);
  return reference ? userKeysOf(reference, seen) : [];
};

/** The user in the path of a request. */
export const subjectOf = ({ params, caller, seen }: { params: { user: string }; caller: Caller; seen: Seen }): User => {
  if (isOneself(caller, params.user)) return caller.user;
  const reference = parseReference(params.user);
  const user = reference && seenUser(reference, seen);
  if (!user) throw new ApiError('USER_NOT_FOUND');
  return user;
};
