import { requireValid, type Violation } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { conditionFields, type Trust } from '../../shared/table/identity/trusts.ts';
import { type AnyCondition, type Claims, holds, textOfClaim } from './conditions.ts';
import { checkTrust } from './contracts.ts';
import { unverifiedClaims, verifyIdentityToken } from './identity-token.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { readyMadeConditions } from './providers.ts';
import { exclusionRecord } from './record.ts';
import { RefusedToken } from './refused-token.ts';
import { targetTrustKeys, targetTrustOf } from './target-trust.ts';

const issuerKeys = new IssuerKeys();

interface Checked {
  readonly token?: string | undefined;
  readonly claims?: Claims | undefined;
}

const oneOfRule = ({ token, claims }: Checked): Violation[] =>
  (token === undefined) === (claims === undefined)
    ? [{ pointer: '', rule: 'oneOf', message: 'The request body must have either token or claims.' }]
    : [];

/** Why the token proves nothing; undefined if it is verified. */
const refusalOf = async (token: string, trust: Trust): Promise<string | undefined> => {
  try {
    await verifyIdentityToken(token, trust, issuerKeys);
    return undefined;
  } catch (error) {
    if (error instanceof RefusedToken) return error.message;
    throw error;
  }
};

export const handler = endpoint(
  checkTrust,
  async (call) => {
    const { body } = call;
    const trust = targetTrustOf(call);
    const violations = oneOfRule(body);
    requireValid(violations);
    const { token } = body;
    const claims = token === undefined ? (body.claims ?? {}) : unverifiedClaims(token);
    const reason = token === undefined ? undefined : await refusalOf(token, trust);
    const found = (condition: AnyCondition) => ({
      found: textOfClaim(claims, condition.claim) ?? null,
      holds: holds(condition, claims),
    });
    const conditions = [
      ...trust.conditions.map((condition) => Object.assign(conditionFields(condition), found(condition))),
      ...readyMadeConditions(trust).map((condition) => Object.assign(exclusionRecord(condition), found(condition))),
    ];
    return {
      isAccepted: reason === undefined && conditions.every((condition) => condition.holds),
      isVerified: token === undefined ? null : reason === undefined,
      reason: reason ?? null,
      conditions,
    };
  },
  { alsoRead: targetTrustKeys },
);
