import { decodeAuthorization } from '../../shared/auth/authorization-header.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { newLoginToken } from '../../shared/http/login-token.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { plainAnswer } from './answers.ts';
import { getConanToken } from './contracts.ts';
import { conan } from './type.ts';

export const handler = endpoint(getConanToken, async (call) => {
  requireType(call.repository, conan);
  const credential = decodeAuthorization(call.authorization);
  if (credential?.kind === 'token') return plainAnswer(credential.token);
  // Conan asks for the next one with the password.
  return plainAnswer(await newLoginToken(call, getConanToken, { name: 'conan login', days: 1 }));
});
