import { newToken } from '../../shared/auth/tokens.ts';
import { ApiError } from '../../shared/errors.ts';
import { authenticate, principalOf } from '../../shared/http/authentication.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { userRefusal } from '../../shared/http/role-refusal.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { insertToken } from '../../shared/table/identity/tokens.ts';
import { createNpmToken } from './contracts.ts';
import { loginCredential, loginName } from './login.ts';
import { npm } from './type.ts';

/** How long the token of a login lasts. Tokens that last longer, or for ever, come from the management API. */
const lifetimeDays = 90;
const dayMilliseconds = 86_400_000;

export const handler = endpoint(
  createNpmToken,
  async (call) => {
    requireType(call.repository, npm);
    if (loginName(call.params.path) === undefined)
      throw new ApiError('REQUEST_INVALID', 'The path must end in org.couchdb.user: and a username.');
    const { actor, user } = call.caller;
    const answer = (token: string) => ({ ok: true, id: `org.couchdb.user:${actor.name}`, token });
    const credential = await loginCredential(call);
    if (credential?.kind === 'token') return answer(credential.token);
    if (!user) throw userRefusal(createNpmToken);
    const { userId, username, tokenGeneration } = user;
    const token = newToken();
    const now = Date.now();
    await insertToken(call.table, token, {
      userId,
      username,
      name: `npm login ${new Date(now).toISOString().slice(0, 10)}`,
      expirationDate: new Date(now + lifetimeDays * dayMilliseconds).toISOString(),
      tokenGeneration,
    });
    return answer(token);
  },
  {
    authenticate: async ({ table, source, ...login }) => {
      const proof = await authenticate(table, await loginCredential(login), source);
      return proof && principalOf(proof);
    },
  },
);
