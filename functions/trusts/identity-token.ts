import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Trust } from '../../shared/table/identity/trusts.ts';
import { UpstreamError } from '../../shared/upstream/upstream-error.ts';
import type { Claims } from './conditions.ts';
import type { IssuerKeys, KeySet } from './issuer-keys.ts';
import { type RefusalReason, RefusedToken } from './refused-token.ts';

/** The largest token that is read. Those of GitHub, GitLab, CircleCI and Buildkite have two to four kB. */
const tokenLengthMax = 16 * 1024;

/** The clocks of issuers differ by seconds. */
const toleranceSeconds = 30;

/** GitLab issues the token of a job when the job begins, and a job may take hours. */
const ageSecondsMax = 24 * 60 * 60;

/** Verifies an identity token: its signature, its times, its issuer and its only audience. Throws a RefusedToken. */
export const verifyIdentityToken = async (
  token: string,
  { issuer, audience }: Pick<Trust, 'issuer' | 'audience'>,
  keys: IssuerKeys,
): Promise<Claims> => {
  if (token.length > tokenLengthMax)
    throw new RefusedToken('malformed', `The token has more than ${tokenLengthMax} characters.`);
  const verified = async (keySet: KeySet): Promise<JWTPayload> =>
    (
      await jwtVerify(token, keySet, {
        algorithms: ['RS256', 'ES256'],
        issuer,
        audience,
        clockTolerance: toleranceSeconds,
        maxTokenAge: ageSecondsMax,
        requiredClaims: ['exp'],
      })
    ).payload;
  const claims = await explained(async () => {
    try {
      return await verified(await keys.of(issuer));
    } catch (error) {
      const isUnknownKey = error instanceof errors.JWKSNoMatchingKey;
      const fresh = isUnknownKey ? await keys.refreshed(issuer) : undefined;
      if (!fresh) throw error;
      return verified(fresh);
    }
  });
  // A token that is for another service, too, could be one that the other service took and sends on.
  if (Array.isArray(claims.aud) && claims.aud.length !== 1)
    throw new RefusedToken('audience', 'The token has more than one audience.');
  return claims;
};

const timeClaims = new Set(['exp', 'nbf', 'iat']);

/** The reason of each error of the library. */
const reasonOf = (error: unknown): RefusalReason | undefined => {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    if (timeClaims.has(error.claim)) return 'time';
    if (error.claim === 'iss') return 'issuer-claim';
    return error.claim === 'aud' ? 'audience' : 'claims';
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) return 'key';
  if (error instanceof errors.JWKSInvalid || error instanceof UpstreamError) return 'issuer';
  if (error instanceof errors.JOSEError) return 'malformed';
  // The library throws it for a key that is too short or of another kind than it says.
  return error instanceof TypeError || error instanceof DOMException ? 'key' : undefined;
};

/** Turns what the library and the fetch throw into the refusal of the token. Any other error is a failure of the service. */
const explained = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusedToken) throw error;
    const reason = reasonOf(error);
    if (reason === undefined || !(error instanceof Error)) throw error;
    const end = error.message.endsWith('.') ? '' : '.';
    throw new RefusedToken(reason, `${error.message}${end}`, error);
  }
};

/** The claims of a token that nobody has verified; none if it is malformed. */
export const unverifiedClaims = (token: string): Claims => {
  try {
    return decodeJwt(token);
  } catch {
    return {};
  }
};
