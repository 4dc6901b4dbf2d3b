import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { AccessCheck } from './access-check.ts';
import {
  accessRequestsOf,
  invocationRequestsOf,
  objectRequestsOf,
  type RestCall,
  runtimeRequests,
} from './access-requests.ts';
import type { FunctionDefinition } from './assembly.ts';
import { guardCalls } from './guarded-calls.ts';
import type { FromWorker, Invocation, Outcome } from './lambda.ts';

/** Runs inside the thread of one function: loads its bundle as Lambda does and answers invocations. */
type Handler = (event: unknown, context: object) => unknown;

const settings = workerData as FunctionDefinition;

/** The output of the function since the last message. The next one carries it: a message costs more than a log line. */
let output = '';
const post = (message: FromWorker): void => {
  parentPort?.postMessage(output === '' ? message : { ...message, output });
  output = '';
};
const flush = (): void => {
  if (output !== '') post({});
};
const write = (text: string | Uint8Array): boolean => {
  if (output === '') setImmediate(flush);
  output += typeof text === 'string' ? text : Buffer.from(text).toString();
  return true;
};
Object.assign(process.stdout, { write });
process.once('exit', flush);

const access = new AccessCheck(settings.principal, settings.statements, (each) => post({ access: each }));
access.refusalOf(runtimeRequests(settings.logGroup, settings.isTraced));
guardCalls({
  target: (target, body) => access.refusalOf(accessRequestsOf(target, body)),
  rest: new Map([
    [process.env.AWS_ENDPOINT_URL_S3, (call: RestCall) => access.refusalOf(objectRequestsOf(call))],
    [process.env.AWS_ENDPOINT_URL_LAMBDA, (call: RestCall) => access.refusalOf(invocationRequestsOf(call))],
  ]),
});

const [file = '', name = ''] = settings.handler.split('.');
const bundle = createRequire(import.meta.url)(join(settings.directory, `${file}.js`)) as Record<string, Handler>;
const handler = bundle[name];
if (!handler) throw new Error(`The bundle exports no ${name}.`);

const contextOf = (requestId: string, deadline: number) => ({
  functionName: settings.name,
  functionVersion: '$LATEST',
  invokedFunctionArn: settings.arn,
  memoryLimitInMB: `${settings.memoryMegabytes}`,
  awsRequestId: requestId,
  logGroupName: settings.logGroup,
  logStreamName: 'local',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

const invoke = async ({ requestId, event, milliseconds }: Invocation): Promise<Outcome> => {
  try {
    const result = await handler(JSON.parse(event), contextOf(requestId, Date.now() + milliseconds));
    return { requestId, result: JSON.stringify(result ?? null) };
  } catch (error) {
    const { name: errorType, message, stack } = error instanceof Error ? error : new Error(String(error));
    return { requestId, error: { errorType, message, stack } };
  }
};

const answer = async (invocation: Invocation) => post({ outcome: await invoke(invocation) });
parentPort?.on('message', (invocation: Invocation) => void answer(invocation));
