import type { APIGatewayProxyResult } from 'aws-lambda';
import { authenticateChallenge, problemMediaType, refusalBody } from './problem.ts';
import { textResponse } from './response.ts';

/** The refusal of a request whose credential is missing or proves nobody, as the gateway gives it. */
export const unauthenticated = (requestId: string): APIGatewayProxyResult =>
  textResponse(401, requestId, problemMediaType, JSON.stringify(refusalBody('UNAUTHENTICATED', requestId)), {
    'WWW-Authenticate': authenticateChallenge,
  });
