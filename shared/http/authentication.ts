import type { Credential } from '../auth/authorization-header.ts';
import { log } from '../observability/log.ts';
import type { Table } from '../table/client.ts';
import { findTokenBySecret, isCurrent, type Token } from '../table/identity/tokens.ts';
import type { User } from '../table/identity/users.ts';
import { type CredentialSource, findUserByPassword } from './password-check.ts';
import { type Principal, principalOfToken, principalOfUser } from './principal.ts';

/** What a credential proved: a token that has not expired, or the user whose password it is. */
export type Proof =
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'password'; readonly user: User };

/**
 * Proves who calls; undefined if the credential is missing or proves nobody, which is logged. Wrong passwords are counted, and
 * after too many of them none is checked.
 */
export const authenticate = async (
  table: Table,
  credential: Credential | undefined,
  source: CredentialSource,
): Promise<Proof | undefined> => {
  if (credential?.kind === 'password') {
    const user = await findUserByPassword(table, credential.username, credential.password, source);
    return user && { kind: 'password', user };
  }
  const token = credential && (await findTokenBySecret(table, credential.token));
  if (token && isCurrent(token)) return { kind: 'token', token };
  log.refusedCredential(source);
  return undefined;
};

/** The caller of a proof. */
export const principalOf = (proof: Proof): Principal =>
  proof.kind === 'token' ? principalOfToken(proof.token) : principalOfUser(proof.user);
