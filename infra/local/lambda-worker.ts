import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { Invocation, Outcome, WorkerSettings } from './lambda.ts';

/** Runs inside the thread of one function: loads its bundle as Lambda does and answers invocations. */
type Handler = (event: unknown, context: object) => unknown;

const settings = workerData as WorkerSettings;
const [file = '', name = ''] = settings.handler.split('.');
const bundle = createRequire(import.meta.url)(join(settings.directory, `${file}.js`)) as Record<string, Handler>;
const handler = bundle[name];
if (!handler) throw new Error(`The bundle exports no ${name}.`);

const contextOf = ({ requestId, deadline }: Invocation) => ({
  functionName: settings.name,
  functionVersion: '$LATEST',
  invokedFunctionArn: settings.arn,
  memoryLimitInMB: `${settings.memoryMegabytes}`,
  awsRequestId: requestId,
  logGroupName: `/aws/lambda/${settings.name}`,
  logStreamName: 'local',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

const invoke = async (invocation: Invocation): Promise<Outcome> => {
  const { requestId } = invocation;
  try {
    const result = await handler(JSON.parse(invocation.event), contextOf(invocation));
    return { requestId, result: JSON.stringify(result ?? null) };
  } catch (error) {
    const { name: errorType, message, stack } = error instanceof Error ? error : new Error(String(error));
    return { requestId, error: { errorType, message, stack } };
  }
};

const answer = async (invocation: Invocation) => parentPort?.postMessage(await invoke(invocation));
parentPort?.on('message', (invocation: Invocation) => void answer(invocation));
