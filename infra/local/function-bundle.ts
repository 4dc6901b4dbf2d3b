import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { type AccessAttempt, AccessCheck } from './access-check.ts';
import {
  accessRequestsOf,
  invocationRequestsOf,
  objectRequestsOf,
  type RestCall,
  runtimeRequests,
} from './access-requests.ts';
import type { FunctionDefinition } from './assembly.ts';
import { type Checks, hostOf } from './guarded-calls.ts';

type Handler = (event: unknown, context: object) => unknown;

const require = createRequire(import.meta.url);

/** Whatever runs in this thread runs for one of its functions, also what goes on after an answer. */
const running = new AsyncLocalStorage<FunctionBundle>();

/** The function for which the code runs that asks; undefined for what Node does by itself. */
export const functionAtWork = (): FunctionBundle | undefined => running.getStore();

/** Its checks. Whoever calls AWS in this thread is a function. */
export const checksAtWork = (): Checks => {
  const atWork = functionAtWork();
  if (!atWork) throw new Error('A call that is made for no function.');
  return atWork.checks;
};

/** The bundle of a function, loaded as Lambda does it. Each of its accesses to AWS is held against its role. */
export class FunctionBundle {
  readonly definition: FunctionDefinition;
  /** What it finds in `process.env`. */
  readonly variables: NodeJS.ProcessEnv;
  readonly checks: Checks;
  private readonly handler: Handler;

  constructor(definition: FunctionDefinition, variables: NodeJS.ProcessEnv, report: (attempt: AccessAttempt) => void) {
    const { principal, statements, logGroup, isTraced, directory } = definition;
    this.definition = definition;
    this.variables = variables;
    const access = new AccessCheck(principal, statements, report);
    access.refusalOf(runtimeRequests(logGroup, isTraced));
    this.checks = {
      target: (target, body) => access.refusalOf(accessRequestsOf(target, body)),
      rest: new Map([
        [hostOf(variables.AWS_ENDPOINT_URL_S3), (call: RestCall) => access.refusalOf(objectRequestsOf(call))],
        [hostOf(variables.AWS_ENDPOINT_URL_LAMBDA), (call: RestCall) => access.refusalOf(invocationRequestsOf(call))],
      ]),
    };
    const [file = '', name = ''] = definition.handler.split('.');
    const path = join(directory, `${file}.js`);
    // Another function of this thread may have the same code, and nothing in common with this one.
    for (const loaded of Object.keys(require.cache))
      if (loaded.startsWith(directory + sep)) Reflect.deleteProperty(require.cache, loaded);
    const bundle = running.run(this, () => require(path) as Record<string, Handler>);
    const handler = bundle[name];
    if (!handler) throw new Error(`The bundle exports no ${name}.`);
    this.handler = handler;
  }

  /** Calls the handler; it has so much time. */
  async call(requestId: string, event: unknown, milliseconds: number): Promise<unknown> {
    const context = contextOf(this.definition, requestId, Date.now() + milliseconds);
    return running.run(this, async () => this.handler(event, context));
  }
}

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
