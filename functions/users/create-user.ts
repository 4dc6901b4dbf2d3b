import { hashPassword } from '../../shared/auth/passwords.ts';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { findUserByName, insertUser } from '../../shared/table/identity/users.ts';
import { createUser } from './contracts.ts';
import { userRecord } from './record.ts';

export const handler = endpoint(
  createUser,
  async ({ body, table, remember }) => {
    const { username, password, email, firstName, lastName, userRole } = body;
    const fields = {
      username,
      passwordHash: await hashPassword(password),
      email: email?.toLowerCase(),
      firstName: firstName ?? undefined,
      lastName: lastName ?? undefined,
      userRole: userRole ?? 'user',
    };
    const user = await insertUser(table, fields, remember);
    if (user === 'username taken') throw new ApiError('USERNAME_TAKEN', `A user named '${username}' already exists.`);
    if (user === 'email taken') throw new ApiError('EMAIL_TAKEN');
    return userRecord(user);
  },
  {
    answerAgain: async ({ body, table }, userId) => {
      const user = await findUserByName(table, body.username);
      return user?.userId === userId ? userRecord(user) : undefined;
    },
  },
);
