import { verifyPassword } from '../auth/passwords.ts';
import { log } from '../observability/log.ts';
import { countPasswordFailure } from '../observability/metrics.ts';
import { Table } from '../table/client.ts';
import { beginPasswordCheck } from '../table/identity/password-checks.ts';
import {
  countPasswordFailureOf,
  hasTooManyFailures,
  type PasswordAttempt,
  passwordFailureKeys,
} from '../table/identity/password-failures.ts';
import type { User } from '../table/identity/users.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import { userKey } from '../table/keys.ts';
import { isUsername } from '../usernames.ts';

/** The request that brings a credential, for the limit of wrong ones and for the log. */
export interface CredentialSource {
  readonly requestId: string;
  readonly sourceAddress: string;
}

/** All names that no user can have are counted as one. */
const noUsername = '?';

const attemptOf = (username: string, { sourceAddress }: CredentialSource): PasswordAttempt => ({
  username: isUsername(username) ? username : noUsername,
  sourceAddress,
});

/** The active user whose name and password these are. */
export const findUserByPassword = async (
  table: Table,
  username: string,
  password: string,
  source: CredentialSource,
): Promise<User | undefined> => {
  const attempt = attemptOf(username, source);
  const keys = isUsername(username) ? [userKey(username)] : [];
  const loaded = await table.read([...keys, ...passwordFailureKeys(attempt)]);
  const user = keys.map((key) => loaded.find(key))[0];
  const owner = user && !user.disabled ? user : undefined;
  return (await matches(table, attempt, owner, password, loaded, source)) ? owner : undefined;
};

/** Whether a password is that of a user who is signed in. */
export const provesPassword = async (
  table: Table,
  user: User,
  password: string,
  source: CredentialSource,
): Promise<boolean> => {
  const attempt = attemptOf(user.username, source);
  return matches(table, attempt, user, password, await table.read(passwordFailureKeys(attempt)), source);
};

/** After too many wrong passwords, every further one is refused without a hash. It is not counted, so the limit ends. */
const matches = async (
  table: Table,
  attempt: PasswordAttempt,
  owner: User | undefined,
  password: string,
  loaded: IdentityMap,
  source: CredentialSource,
): Promise<boolean> => {
  const isLimited = hasTooManyFailures(attempt, loaded);
  if (!isLimited && (await verifyPassword(owner, password, () => beginPasswordCheck(table)))) return true;
  countPasswordFailure();
  log.refusedCredential({ ...source, username: attempt.username === noUsername ? undefined : attempt.username });
  if (!isLimited) await counted(attempt);
  return false;
};

/** A failure that the table cannot count is refused like the others. */
const countMilliseconds = 500;

const counted = async (attempt: PasswordAttempt): Promise<void> => {
  try {
    await countPasswordFailureOf(new Table(countMilliseconds), attempt);
  } catch (error) {
    log.bestEffortFailure(error);
  }
};
