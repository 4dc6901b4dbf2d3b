import { randomUUID } from 'node:crypto';
import type { UserRole } from '../../access.ts';
import { type Change, difference, type Fields } from '../changes.ts';
import type { Table } from '../client.ts';
import { type Remember, rememberNothing } from '../creations.ts';
import { activeAdminsKey, emailKey, userKey, userListKey, usernameOfIdKey, usersList } from '../keys.ts';
import { listPage, type PageRequest } from '../lists.ts';
import { untilSettled } from '../races.ts';
import { foundBy, insertion, type Update, type Write } from '../writes.ts';

/** A user as stored. The password version changes with the password, which ends every sign-in with the old password. */
export interface User {
  readonly userId: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly passwordVersion: string;
  /** Changes when all tokens of the user are revoked; absent before the first time. */
  readonly tokenGeneration?: string | undefined;
  /** Changes when the user is disabled, which ends all sessions for good; absent before the first time. */
  readonly sessionGeneration?: string | undefined;
  /** Counts the changes of the tokens, memberships and grants of the user; absent before the first. */
  readonly accessVersion?: number | undefined;
  readonly userRole: UserRole;
  readonly disabled: boolean;
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly createdAt: string;
}

/** Finds a user by name. */
export const findUserByName = async (table: Table, username: string): Promise<User | undefined> => {
  const key = userKey(username);
  return (await table.read([key])).find(key);
};

/** Lists all users by name. */
export const listAllUsers = <R>(table: Table, page: PageRequest, turn: (user: User) => R) =>
  listPage(table, usersList, page, async (_, usernames) => {
    const keys = usernames.map(userKey);
    const users = await table.read(keys);
    return keys.map((key) => {
      const user = users.find(key);
      return user && turn(user);
    });
  });

/** The fields of a new user. */
type NewUser = Pick<User, 'username' | 'passwordHash' | 'userRole' | 'email' | 'firstName' | 'lastName'>;

/** Creates a user, or returns which of its unique fields is taken. */
export const insertUser = async (
  table: Table,
  fields: NewUser,
  remember: Remember = rememberNothing,
): Promise<User | 'username taken' | 'email taken'> => {
  const user: User = {
    ...fields,
    userId: randomUUID(),
    passwordVersion: randomUUID(),
    disabled: false,
    createdAt: new Date().toISOString(),
  };
  const { userId, username, email } = user;
  const writes: Write[] = [
    insertion(userKey(username), user),
    insertion(usernameOfIdKey(userId), { username }),
    insertion(userListKey(username), { id: userId }),
  ];
  if (email !== undefined) writes.push(insertion(emailKey(email), { id: userId }));
  if (user.userRole === 'system-admin') writes.push(countActiveAdmins(1));
  const change = changeOf('user.created', user, { before: null, after: fieldsOf(user) });
  const refusal = await table.write([...writes, ...remember(userId)], change);
  if (!refusal) return user;
  return refusal[0] ? 'username taken' : 'email taken';
};

/** The fields of a user that a record has. */
const fieldsOf = ({ username, email, firstName, lastName, userRole, disabled, createdAt }: User): Fields => ({
  username,
  email,
  firstName,
  lastName,
  userRole,
  disabled,
  createdAt,
});

const changeOf = (
  action: Change['action'],
  { userId, username }: User,
  fields: Pick<Change, 'before' | 'after'>,
): Change => ({ action, workspaceId: null, target: { id: userId, name: username }, ...fields });

/** The record of a change says that there is a new password, or that the tokens are revoked, and nothing of the secrets. */
const changeBetween = (from: User, to: User): Change => {
  const { before, after } = difference(fieldsOf(from), fieldsOf(to));
  return changeOf('user.changed', to, {
    before,
    after: {
      ...after,
      ...(from.passwordVersion !== to.passwordVersion && { passwordChanged: true }),
      ...(from.tokenGeneration !== to.tokenGeneration && { tokensRevoked: true }),
    },
  });
};

/** Changes the number of active System Admins. Once there was one, the number never becomes zero again. */
const countActiveAdmins = (change: 1 | -1): Write => ({
  update: activeAdminsKey,
  set: 'ADD #count :change',
  if: change > 0 ? 'attribute_not_exists(pk) OR #count > :none' : '#count > :one',
  values: change > 0 ? { ':change': 1, ':none': 0 } : { ':change': -1, ':one': 1 },
});

/** The fields of a user that can change. null clears a field, and undefined keeps it. */
interface UserChange {
  readonly disabled?: boolean | undefined;
  readonly userRole?: UserRole | undefined;
  readonly email?: string | null | undefined;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
  readonly passwordHash?: string | undefined;
  /** Any new value revokes all tokens. */
  readonly tokenGeneration?: string | undefined;
}

const changeable = [
  'disabled',
  'userRole',
  'email',
  'firstName',
  'lastName',
  'passwordHash',
  'passwordVersion',
  'tokenGeneration',
  'sessionGeneration',
] as const satisfies readonly (keyof User)[];

const changed = (
  user: User,
  change: UserChange & Partial<Pick<User, 'passwordVersion' | 'sessionGeneration'>>,
): User => {
  const kept = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...user, ...Object.fromEntries(kept.map(([field, value]) => [field, value ?? undefined])) };
};

const isActiveAdmin = (user: User): boolean => user.userRole === 'system-admin' && !user.disabled;

/** Changes a user from one state to another. It fails if the user is no longer in the first state. */
const userUpdate = (from: User, to: User, fields: readonly (typeof changeable)[number][]): Update => {
  const [set, cleared] = [
    fields.filter((field) => to[field] !== undefined),
    fields.filter((field) => to[field] === undefined),
  ];
  // The role and `disabled` decide whether the number of admins changes, so they must not have changed since they were
  // read.
  const expected = [...new Set([...fields, 'disabled' as const, 'userRole' as const])];
  const known = expected.filter((field) => from[field] !== undefined);
  return {
    update: userKey(from.username),
    set: [
      set.length > 0 ? `SET ${set.map((field) => `#${field} = :${field}`).join(', ')}` : '',
      cleared.length > 0 ? `REMOVE ${cleared.map((field) => `#${field}`).join(', ')}` : '',
    ].join(' '),
    if: expected
      .map((field) => (from[field] === undefined ? `attribute_not_exists(#${field})` : `#${field} = :${field}Before`))
      .join(' AND '),
    values: {
      ...Object.fromEntries(set.map((field) => [`:${field}`, to[field]])),
      ...Object.fromEntries(known.map((field) => [`:${field}Before`, from[field]])),
    },
  };
};

/** The writes of a change: the user, the e-mail addresses that are held, and the number of active admins. */
const userWrites = (from: User, to: User): Write[] => {
  const fields = changeable.filter((field) => from[field] !== to[field]);
  if (fields.length === 0) return [];
  const writes: Write[] = [userUpdate(from, to, fields)];
  if (isActiveAdmin(from) !== isActiveAdmin(to)) writes.push(countActiveAdmins(isActiveAdmin(to) ? 1 : -1));
  if (from.email === to.email) return writes;
  if (to.email !== undefined) writes.push(insertion(emailKey(to.email), { id: to.userId }));
  if (from.email !== undefined)
    writes.push({ remove: emailKey(from.email), if: '#id = :userId', values: { ':userId': to.userId } });
  return writes;
};

/**
 * Changes a user, or returns what prevents it. With `provenVersion`, the new password replaces only the password that
 * the caller has proven. Each new password has a new version.
 */
export const updateStoredUser = async (
  table: Table,
  user: User,
  change: UserChange,
  provenVersion?: string,
): Promise<User | 'email taken' | 'last system admin' | 'password changed'> => {
  const passwordVersion = change.passwordHash === undefined ? undefined : randomUUID();
  let current = user;
  return untilSettled(table, async () => {
    const isDone = current.passwordVersion === passwordVersion;
    if (provenVersion !== undefined && !isDone && current.passwordVersion !== provenVersion) return 'password changed';
    const sessionGeneration = change.disabled && !current.disabled ? randomUUID() : undefined;
    const next = changed(current, { ...change, passwordVersion, sessionGeneration });
    const writes = userWrites(current, next);
    const refusal = writes.length === 0 ? undefined : await table.write(writes, changeBetween(current, next));
    if (!refusal) return next;
    const overtaken = foundBy(userKey(user.username), refusal);
    if (!overtaken)
      return writes.some((write, at) => refusal[at] && 'insert' in write) ? 'email taken' : 'last system admin';
    current = overtaken;
    return undefined;
  });
};

/** Replaces a password hash by another hash of the same password, unless the password changed meanwhile. */
export const updatePasswordHash = async (table: Table, user: User, passwordHash: string): Promise<void> => {
  await table.update({
    update: userKey(user.username),
    set: 'SET #passwordHash = :new',
    if: '#passwordHash = :old',
    values: { ':new': passwordHash, ':old': user.passwordHash },
  });
};
