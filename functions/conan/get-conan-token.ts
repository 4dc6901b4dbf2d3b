import { decodeAuthorization } from '../../shared/auth/authorization-header.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { userRefusal } from '../../shared/http/role-refusal.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { insertToken } from '../../shared/table/identity/tokens.ts';
import { plainAnswer } from './answers.ts';
import { getConanToken } from './contracts.ts';
import { conan } from './type.ts';

/** How long the token for a password lasts: Conan asks for the next one with the password. */
const lifetimeMilliseconds = 24 * 3_600_000;

export const handler = endpoint(getConanToken, async ({ repository, authorization, caller, table }) => {
  requireType(repository, conan);
  const credential = decodeAuthorization(authorization);
  if (credential?.kind === 'token') return plainAnswer(credential.token);
  if (!caller.user) throw userRefusal(getConanToken);
  const { userId, username, tokenGeneration } = caller.user;
  const token = newToken();
  const now = Date.now();
  await insertToken(table, token, {
    userId,
    username,
    name: `conan login ${new Date(now).toISOString().slice(0, 10)}`,
    expirationDate: new Date(now + lifetimeMilliseconds).toISOString(),
    tokenGeneration,
  });
  return plainAnswer(token);
});
