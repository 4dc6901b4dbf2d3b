import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { decodeAuthorization } from '../shared/auth/authorization-header.ts';
import { authorizationHeaders } from '../shared/http/input.ts';
import type { CredentialSource } from '../shared/http/password-check.ts';
import { actorIdOf, type Principal } from '../shared/http/principal.ts';
import { provenPrincipal } from '../shared/http/proven-principal.ts';
import { sourceAddressOf } from '../shared/http/source-address.ts';
import { log } from '../shared/observability/log.ts';

/**
 * Authenticates the caller and decides nothing else. API Gateway caches the answer for minutes and for every endpoint,
 * so each handler reads the user and the token again before it decides anything.
 */
export const handler = async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
  const credential = decodeAuthorization(authorizationHeaders(event));
  const principal = await provenPrincipal(credential, sourceOf(event)).catch((error: unknown) => {
    log.authorizerFailure(error);
    throw error;
  });
  // API Gateway answers 401 to this message only.
  if (!principal) throw new Error('Unauthorized');
  return allow(event.methodArn, principal);
};

const sourceOf = (event: APIGatewayRequestAuthorizerEvent): CredentialSource => ({
  requestId: event.requestContext.requestId,
  sourceAddress: sourceAddressOf(event),
});

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
