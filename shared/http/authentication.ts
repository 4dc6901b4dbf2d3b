import type { Credential } from '../auth/authorization-header.ts';
import { verifyPassword } from '../auth/passwords.ts';
import { countPasswordFailure } from '../observability/metrics.ts';
import type { Table } from '../table/client.ts';
import { findTokenBySecret, isCurrent, type Token } from '../table/tokens.ts';
import { findUserByName, type User } from '../table/users.ts';
import { isUsername } from '../usernames.ts';
import type { Principal } from './authorization.ts';

/** What a credential proved: a token that has not expired, or the user whose password it is. */
export type Proof =
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'password'; readonly user: User };

/** Proves who calls; undefined if the credential proves nobody. */
export const authenticate = async (table: Table, credential: Credential): Promise<Proof | undefined> =>
  credential.kind === 'token'
    ? byToken(table, credential.token)
    : byPassword(table, credential.username, credential.password);

const byToken = async (table: Table, secret: string): Promise<Proof | undefined> => {
  const token = await findTokenBySecret(table, secret);
  return token && isCurrent(token) ? { kind: 'token', token } : undefined;
};

const byPassword = async (table: Table, username: string, password: string): Promise<Proof | undefined> => {
  const found = isUsername(username) ? await findUserByName(table, username) : undefined;
  const user = found && !found.disabled ? found : undefined;
  const matches = await verifyPassword(user, password);
  if (user && matches) return { kind: 'password', user };
  countPasswordFailure();
  return undefined;
};

/** The caller of a proof. */
export const principalOf = (proof: Proof): Principal => {
  if (proof.kind === 'token') {
    const { userId, username, tokenId } = proof.token;
    return { userId, username, tokenId };
  }
  const { userId, username, passwordVersion } = proof.user;
  return { userId, username, passwordVersion };
};
