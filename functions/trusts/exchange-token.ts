import { newToken } from '../../shared/auth/tokens.ts';
import { ApiError, requireValid, type Violation } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { log } from '../../shared/observability/log.ts';
import { insertTrustToken } from '../../shared/table/identity/trust-tokens.ts';
import type { Trust } from '../../shared/table/identity/trusts.ts';
import { trustKey } from '../../shared/table/keys.ts';
import { idOf } from '../../shared/table/references.ts';
import { holds } from './conditions.ts';
import { exchangeToken } from './contracts.ts';
import { verifyIdentityToken } from './identity-token.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { allConditions } from './providers.ts';
import { RefusedToken } from './refused-token.ts';

const issuerKeys = new IssuerKeys();

type Exchange = Pick<Call<typeof exchangeToken>, 'body' | 'table' | 'source'>;

const oneOfRule = ({ trust, audience }: Partial<Exchange['body']>): Violation[] =>
  (trust === undefined) === (audience === undefined)
    ? [{ pointer: '', rule: 'oneOf', message: 'The request body must have either trust or audience.' }]
    : [];

/** The trust, if it accepts the identity token. Throws a RefusedToken. */
const acceptingTrust = async ({ body, table }: Exchange): Promise<Trust> => {
  const id = idOf(body.trust ?? body.audience);
  const key = id === undefined ? undefined : trustKey(id);
  const trust = key && (await table.read([key])).find(key);
  if (!trust) throw new RefusedToken('trust', 'There is no such trust.');
  const claims = await verifyIdentityToken(body.subject_token, trust, issuerKeys);
  const broken = allConditions(trust).filter((condition) => !holds(condition, claims));
  if (broken.length === 0) return trust;
  const names = broken.map(({ claim }) => claim).join(', ');
  throw new RefusedToken('conditions', `The conditions on these claims do not hold: ${names}.`);
};

const exchanged = async (call: Exchange) => {
  const trust = await acceptingTrust(call);
  const token = newToken('trust');
  call.table.author = { ...call.table.author, ...call.source, operation: exchangeToken.id };
  const stored = await insertTrustToken(call.table, token, trust);
  if (stored === 'gone') throw new RefusedToken('trust', 'The trust is gone, or its workspace.');
  return {
    access_token: token,
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' as const,
    token_type: 'Bearer' as const,
    expires_in: trust.lifetimeSeconds,
    expiresAt: stored.expirationDate,
  };
};

export const handler = endpoint(exchangeToken, async (call) => {
  const violations = oneOfRule(call.body);
  requireValid(violations);
  try {
    return await exchanged(call);
  } catch (error) {
    if (!(error instanceof RefusedToken)) throw error;
    const { reason, message } = error;
    log.refusedExchange({
      ...call.source,
      trustId: idOf(call.body.trust ?? call.body.audience),
      reason,
      detail: message,
    });
    throw new ApiError('EXCHANGE_REFUSED');
  }
});
