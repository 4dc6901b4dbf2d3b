import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { credentialHeaderVariable, variable } from '../config.ts';
import { viewerHeader } from '../edge.ts';

/** Whether CloudFront alone can call the front, as the configuration says. */
export const isBehindEdge = (): boolean => variable(credentialHeaderVariable) !== undefined;

/**
 * The request as its client sent it to CloudFront: with the client's credential and address in place of those of CloudFront, and
 * without the signature of its call. Without CloudFront, the event itself.
 */
export const clientEventOf = (event: LambdaFunctionURLEvent): LambdaFunctionURLEvent => {
  const name = variable(credentialHeaderVariable);
  if (name === undefined) return event;
  const { authorization: _signature, [name]: credential, ...headers } = event.headers;
  const { http } = event.requestContext;
  const ofClient = Object.fromEntries(Object.entries(headers).filter(([header]) => !header.startsWith('x-amz-')));
  return {
    ...event,
    headers: { ...ofClient, ...(credential !== undefined && { authorization: credential }) },
    requestContext: { ...event.requestContext, http: { ...http, sourceIp: headers[viewerHeader] ?? http.sourceIp } },
  };
};
