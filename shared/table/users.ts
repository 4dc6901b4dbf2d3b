import { randomUUID } from 'node:crypto';
import type { UserRole } from '../access.ts';
import type { Item, Table } from './client.ts';
import { activeAdminsKey, emailKey, userKey, userListKey, usernameOfIdKey } from './keys.ts';
import type { Write } from './writes.ts';

/** A user as stored. The password version changes with the password: who proved the old one is out. */
export interface User {
  readonly userId: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly passwordVersion: string;
  readonly userRole: UserRole;
  readonly disabled: boolean;
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly createdAt: string;
}

/** The shape of a username; `token` announces a token in the Authorization header and is reserved. */
export const usernamePattern = '^(?!token$)[a-z0-9._-]{1,30}$';

const usernameShape = new RegExp(usernamePattern);

/** Whether a text can be the name of a user at all. */
export const isUsername = (text: string): boolean => usernameShape.test(text);

/** The user of an item that a read found. */
export const userOf = (item: Item | undefined): User | undefined => item && (item as unknown as User);

/** Finds a user by name. */
export const findUserByName = async (table: Table, username: string): Promise<User | undefined> => {
  const key = userKey(username);
  return userOf((await table.read([key])).find(key));
};

/** What a new user is made from. */
export type NewUser = Pick<User, 'username' | 'passwordHash' | 'userRole' | 'email' | 'firstName' | 'lastName'>;

/** Creates a user, or says which of its unique fields is taken. */
export const insertUser = async (table: Table, fields: NewUser): Promise<User | 'username taken' | 'email taken'> => {
  const user: User = {
    ...fields,
    userId: randomUUID(),
    passwordVersion: randomUUID(),
    disabled: false,
    createdAt: new Date().toISOString(),
  };
  const { userId, username, email } = user;
  const writes: Write[] = [
    { insert: { ...userKey(username), ...user } },
    { insert: { ...usernameOfIdKey(userId), username } },
    { insert: { ...userListKey(username), id: userId } },
  ];
  if (email !== undefined) writes.push({ insert: { ...emailKey(email), id: userId } });
  if (user.userRole === 'system-admin') writes.push(countActiveAdmins(1));
  const refusal = await table.write(writes);
  if (!refusal) return user;
  return refusal[0] ? 'username taken' : 'email taken';
};

/** Moves the number of active system admins; it never reaches zero again once there was one. */
const countActiveAdmins = (change: 1 | -1): Write => ({
  update: activeAdminsKey,
  set: 'ADD #count :change',
  if: change > 0 ? 'attribute_not_exists(pk) OR #count > :none' : '#count > :one',
  values: change > 0 ? { ':change': 1, ':none': 0 } : { ':change': -1, ':one': 1 },
});

/** Replaces a password hash by one of the same password, unless the password changed meanwhile. */
export const updatePasswordHash = async (table: Table, user: User, passwordHash: string): Promise<void> => {
  await table.update({
    update: userKey(user.username),
    set: 'SET #passwordHash = :new',
    if: '#passwordHash = :old',
    values: { ':new': passwordHash, ':old': user.passwordHash },
  });
};
