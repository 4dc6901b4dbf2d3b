import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { type Credential, decodeAuthorization } from '../shared/auth/authorization-header.ts';
import { hashPassword, isOutdated } from '../shared/auth/passwords.ts';
import { authenticate, principalOf } from '../shared/http/authentication.ts';
import { authorizationHeaders } from '../shared/http/input.ts';
import type { CredentialSource } from '../shared/http/password-check.ts';
import { actorIdOf, type Principal } from '../shared/http/principal.ts';
import { sourceAddressOf } from '../shared/http/source-address.ts';
import { log } from '../shared/observability/log.ts';
import { Table } from '../shared/table/client.ts';
import { noteUse } from '../shared/table/identity/tokens.ts';
import { type User, updatePasswordHash } from '../shared/table/identity/users.ts';

/**
 * Authenticates the caller and decides nothing else. API Gateway caches the answer for minutes and for every endpoint,
 * so each handler reads the user and the token again before it decides anything.
 */
export const handler = async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
  const principal = await authenticatedPrincipal(decodeAuthorization(authorizationHeaders(event)), sourceOf(event));
  // API Gateway answers 401 to this message only.
  if (!principal) throw new Error('Unauthorized');
  return allow(event.methodArn, principal);
};

const sourceOf = (event: APIGatewayRequestAuthorizerEvent): CredentialSource => ({
  requestId: event.requestContext.requestId,
  sourceAddress: sourceAddressOf(event),
});

/** All callers share the concurrency of the authorizer, so a throttled table must not keep it for long. */
const impatientTable = (): Table => new Table(2_000, undefined, 1);

const authenticatedPrincipal = async (
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

/** Makes a best-effort write. If it fails, the request goes on. */
const bestEffort = async (write: (table: Table) => Promise<void>): Promise<void> => {
  try {
    await write(new Table(bestEffortMilliseconds));
  } catch (error) {
    log.bestEffortFailure(error);
  }
};

/** Allows the whole stage, because API Gateway caches the answer by credential and not by path. */
const allow = (methodArn: string, principal: Principal): APIGatewayAuthorizerResult => {
  const [api, stage] = methodArn.split('/');
  return {
    principalId: actorIdOf(principal),
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: 'Allow',
          Resource: `${api}/${stage}/*`,
        },
      ],
    },
    context: { ...principal },
  };
};
