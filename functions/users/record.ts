import type { Infer } from '../../shared/http/schema.ts';
import type { User } from '../../shared/table/identity/users.ts';
import type { userSchema } from './contracts.ts';

/** The wire record of a user. It contains nothing of the password. */
export const userRecord = (user: User): Infer<typeof userSchema> => ({
  id: user.userId,
  userId: user.userId,
  username: user.username,
  email: user.email ?? null,
  firstName: user.firstName ?? null,
  lastName: user.lastName ?? null,
  userRole: user.userRole,
  disabled: user.disabled,
  createdAt: user.createdAt,
});
