import { hashPassword } from '../../shared/auth/passwords.ts';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { insertUser } from '../../shared/table/users.ts';
import { createUser } from './contracts.ts';
import { userRecord } from './record.ts';

export const handler = endpoint(createUser, async ({ body, table }) => {
  const { username, password, email, firstName, lastName, userRole } = body;
  const user = await insertUser(table, {
    username,
    passwordHash: await hashPassword(password),
    email: email?.toLowerCase(),
    firstName: firstName ?? undefined,
    lastName: lastName ?? undefined,
    userRole: userRole ?? 'user',
  });
  if (user === 'username taken') throw new ApiError('USERNAME_TAKEN', `A user named '${username}' already exists.`);
  if (user === 'email taken') throw new ApiError('EMAIL_TAKEN');
  return userRecord(user);
});
