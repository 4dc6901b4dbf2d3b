import { ApiError } from '../../shared/errors.ts';
import { authenticate, principalOf } from '../../shared/http/authentication.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { newLoginToken } from '../../shared/http/login-token.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { createNpmToken } from './contracts.ts';
import { loginCredential, loginName } from './login.ts';
import { npm } from './type.ts';

export const handler = endpoint(
  createNpmToken,
  async (call) => {
    requireType(call.repository, npm);
    if (loginName(call.params.path) === undefined)
      throw new ApiError('REQUEST_INVALID', 'The path must end in org.couchdb.user: and a username.');
    const answer = (token: string) => ({ ok: true, id: `org.couchdb.user:${call.caller.actor.name}`, token });
    const credential = await loginCredential(call);
    if (credential?.kind === 'token') return answer(credential.token);
    return answer(await newLoginToken(call, createNpmToken, { name: 'npm login', days: 90 }));
  },
  {
    authenticate: async ({ table, source, ...login }) => {
      const proof = await authenticate(table, await loginCredential(login), source);
      return proof && principalOf(proof);
    },
  },
);
