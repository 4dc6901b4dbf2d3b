import type { Credential } from '../auth/authorization-header.ts';
import { hashPassword, isOutdated } from '../auth/passwords.ts';
import { log } from '../observability/log.ts';
import { needsApi } from '../pass-on.ts';
import { Table } from '../table/client.ts';
import { noteUse } from '../table/identity/tokens.ts';
import { type User, updatePasswordHash } from '../table/identity/users.ts';
import { authenticate, principalOf } from './authentication.ts';
import type { CredentialSource } from './password-check.ts';
import type { Principal } from './principal.ts';

/** All callers share the concurrency of what proves them, so a throttled table must not keep it for long. */
const impatientTable = (): Table => new Table(2_000, undefined, 1);

/**
 * The caller whom a credential proves; undefined if it is missing or proves nobody. It notes when a token was used, and renews the
 * hash of a password. It reads and decides nothing else.
 */
export const provenPrincipal = async (
  credential: Credential | undefined,
  source: CredentialSource,
): Promise<Principal | undefined> => {
  const proof = await authenticate(impatientTable(), credential, source);
  if (!credential || !proof) return undefined;
  if (proof.kind === 'token') await bestEffort((table) => noteUse(table, proof.token));
  else if (credential.kind === 'password') await renewHash(proof.user, credential.password);
  return principalOf(proof);
};

/** Hashes a password with the parameters of new hashes, if it was hashed with others. */
const renewHash = async (user: User, password: string): Promise<void> => {
  if (isOutdated(user.passwordHash))
    await bestEffort(async (table) => updatePasswordHash(table, user, await hashPassword(password)));
};

/** The time limit of a best-effort write. The caller waits for it, because Lambda freezes a function that has answered. */
const bestEffortMilliseconds = 500;

/** Makes a best-effort write. If it fails, the request goes on, unless another function has to make it. */
const bestEffort = async (write: (table: Table) => Promise<void>): Promise<void> => {
  try {
    await write(new Table(bestEffortMilliseconds));
  } catch (error) {
    if (needsApi(error)) throw error;
    log.bestEffortFailure(error);
  }
};
