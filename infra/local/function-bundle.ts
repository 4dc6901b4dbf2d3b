import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type AccessAttempt, AccessCheck } from './access-check.ts';
import {
  accessRequestsOf,
  invocationRequestsOf,
  objectRequestsOf,
  type RestCall,
  runtimeRequests,
} from './access-requests.ts';
import type { FunctionDefinition } from './assembly.ts';
import { guardCalls } from './guarded-calls.ts';

type Handler = (event: unknown, context: object) => unknown;

/** Calls the handler; it has so much time. */
export type Call = (requestId: string, event: unknown, milliseconds: number) => Promise<unknown>;

/**
 * Loads the bundle of a function as Lambda does, once in a thread, whose environment is the function's. Each access of the
 * function to AWS is held against its role.
 */
export const loadFunction = (definition: FunctionDefinition, report: (attempt: AccessAttempt) => void): Call => {
  const { principal, statements, logGroup, isTraced, directory } = definition;
  const access = new AccessCheck(principal, statements, report);
  access.refusalOf(runtimeRequests(logGroup, isTraced));
  guardCalls({
    target: (target, body) => access.refusalOf(accessRequestsOf(target, body)),
    rest: new Map([
      [process.env.AWS_ENDPOINT_URL_S3, (call: RestCall) => access.refusalOf(objectRequestsOf(call))],
      [process.env.AWS_ENDPOINT_URL_LAMBDA, (call: RestCall) => access.refusalOf(invocationRequestsOf(call))],
    ]),
  });
  const [file = '', name = ''] = definition.handler.split('.');
  const bundle = createRequire(import.meta.url)(join(directory, `${file}.js`)) as Record<string, Handler>;
  const handler = bundle[name];
  if (!handler) throw new Error(`The bundle exports no ${name}.`);
  return async (requestId, event, milliseconds) =>
    handler(event, contextOf(definition, requestId, Date.now() + milliseconds));
};

const contextOf = (
  { name, arn, memoryMegabytes, logGroup }: FunctionDefinition,
  requestId: string,
  deadline: number,
) => ({
  functionName: name,
  functionVersion: '$LATEST',
  invokedFunctionArn: arn,
  memoryLimitInMB: `${memoryMegabytes}`,
  awsRequestId: requestId,
  logGroupName: logGroup,
  logStreamName: 'local',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});
