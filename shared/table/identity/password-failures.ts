import type { Table } from '../client.ts';
import type { IdentityMap } from '../identity-map.ts';
import { type Key, passwordFailuresKey } from '../keys.ts';

/** The number of wrong passwords in a window of time that began with the first of them. */
export interface PasswordFailures {
  readonly count: number;
  readonly windowEndsAt: string;
  readonly expiresAt: number;
}

/** Whose password is tried, and from where. */
export interface PasswordAttempt {
  readonly username: string;
  readonly sourceAddress: string;
}

const windowMilliseconds = 300_000;

/** A limit of the user at the address, and one of the address alone, whichever users it tries. */
const limitsOf = ({ username, sourceAddress }: PasswordAttempt) => [
  { key: passwordFailuresKey(sourceAddress, username), failuresMax: 10 },
  { key: passwordFailuresKey(sourceAddress), failuresMax: 100 },
];

/** The keys that decide whether an attempt is refused without a check, to be read with other items. */
export const passwordFailureKeys = (attempt: PasswordAttempt): Key<PasswordFailures>[] =>
  limitsOf(attempt).map(({ key }) => key);

/** Whether there were too many wrong passwords. `loaded` has the items of `passwordFailureKeys`. */
export const hasTooManyFailures = (attempt: PasswordAttempt, loaded: IdentityMap): boolean => {
  const now = new Date().toISOString();
  return limitsOf(attempt).some(({ key, failuresMax }) => {
    const failures = loaded.find(key);
    return failures !== undefined && failures.windowEndsAt > now && failures.count >= failuresMax;
  });
};

/** Counts a wrong password. */
export const countPasswordFailureOf = async (table: Table, attempt: PasswordAttempt): Promise<void> => {
  await Promise.all(passwordFailureKeys(attempt).map((key) => countOne(table, key)));
};

/** Counts in the present window, or begins one. If another request has just begun one, it counts in that. */
const countOne = async (table: Table, key: Key<PasswordFailures>): Promise<void> => {
  const now = Date.now();
  const values = { ':now': new Date(now).toISOString(), ':one': 1 };
  const increment = {
    update: key,
    set: 'SET #count = #count + :one',
    if: '#windowEndsAt > :now',
    values,
  };
  if ('before' in (await table.update(increment))) return;
  const end = now + windowMilliseconds;
  const begun = await table.update({
    update: key,
    set: 'SET #count = :one, #windowEndsAt = :end, #expiresAt = :expiresAt',
    if: 'attribute_not_exists(pk) OR #windowEndsAt <= :now',
    values: { ...values, ':end': new Date(end).toISOString(), ':expiresAt': Math.ceil(end / 1000) },
  });
  if ('refused' in begun) await table.update(increment);
};
