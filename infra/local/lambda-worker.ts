import { parentPort, workerData } from 'node:worker_threads';
import type { FunctionDefinition } from './assembly.ts';
import { loadFunction } from './function-bundle.ts';
import type { FromWorker, Invocation, Outcome } from './lambda.ts';

/** Runs inside the thread of one function and answers invocations. */
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

const call = loadFunction(settings, (access) => post({ access }));

const invoke = async ({ requestId, event, milliseconds }: Invocation): Promise<Outcome> => {
  try {
    const result = await call(requestId, JSON.parse(event), milliseconds);
    return { requestId, result: JSON.stringify(result ?? null) };
  } catch (error) {
    const { name: errorType, message, stack } = error instanceof Error ? error : new Error(String(error));
    return { requestId, error: { errorType, message, stack } };
  }
};

const answer = async (invocation: Invocation) => post({ outcome: await invoke(invocation) });
parentPort?.on('message', (invocation: Invocation) => void answer(invocation));
