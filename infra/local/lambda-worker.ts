import { parentPort } from 'node:worker_threads';
import { checksAtWork, FunctionBundle, functionAtWork } from './function-bundle.ts';
import type { Failure, FromThread, Invocation, Loadable, Outcome, ToThread } from './function-threads.ts';
import { guardCalls } from './guarded-calls.ts';
import { releaseMemoryWhenIdle } from './idle-memory.ts';

/** Runs inside a thread, and answers the invocations of the functions that are in it. */
const loadables = new Map<string, Loadable>();
const bundles = new Map<string, FunctionBundle>();

/** What each function wrote since its last message. The next one carries it: a message costs more than a log line. */
const outputs = new Map<string, string>();
const post = (message: FromThread): void => {
  const { functionId } = message;
  const output = outputs.get(functionId);
  outputs.delete(functionId);
  parentPort?.postMessage(output === undefined ? message : { ...message, output });
};
const flush = (): void => {
  for (const functionId of outputs.keys()) post({ functionId });
};

/** From here on, variables, calls of AWS and output are those of the function at work. */
const ofThread = process.env;
Object.defineProperty(process, 'env', { get: () => functionAtWork()?.variables ?? ofThread });
guardCalls(checksAtWork);
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  const keep = (text: string | Uint8Array): boolean => {
    const atWork = functionAtWork();
    if (!atWork) return write(text);
    const { id } = atWork.definition;
    if (outputs.size === 0) setImmediate(flush);
    outputs.set(id, (outputs.get(id) ?? '') + (typeof text === 'string' ? text : Buffer.from(text).toString()));
    return true;
  };
  Object.assign(stream, { write: keep });
}

const failureOf = (error: unknown): Failure => {
  const { name: errorType, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { errorType, message, stack };
};

/** Why the thread ends, unless a function ends it as if it were its process. */
let failure: Failure | undefined;
process.on('uncaughtException', (error) => {
  const atWork = functionAtWork();
  // Also a rejection that nobody handled. In Lambda it ends the environment of this function alone, so the others of the thread go on.
  if (atWork) {
    flush();
    post({ functionId: atWork.definition.id, end: failureOf(error) });
    return;
  }
  failure = failureOf(error);
  process.exit(1);
});
process.once('exit', () => {
  flush();
  const functionId = functionAtWork()?.definition.id ?? '';
  const end = failure ?? { errorType: 'Runtime.ExitError', message: 'The function ended its process.' };
  post({ functionId, end, endsThread: true });
});

const bundleOf = (functionId: string): FunctionBundle => {
  const loaded = bundles.get(functionId);
  if (loaded) return loaded;
  const { definition, variables } = loadables.get(functionId) as Loadable;
  const bundle = new FunctionBundle(definition, variables, (access) => post({ functionId, access }));
  bundles.set(functionId, bundle);
  return bundle;
};

const invoke = async (functionId: string, { requestId, event, milliseconds }: Invocation): Promise<Outcome> => {
  try {
    const result = await bundleOf(functionId).call(requestId, JSON.parse(event), milliseconds);
    return { requestId, result: JSON.stringify(result ?? null) };
  } catch (error) {
    return { requestId, error: failureOf(error) };
  }
};

const answer = async ({ functionId, invocation }: ToThread) =>
  post({ functionId, outcome: await invoke(functionId, invocation) });
const notIdle = releaseMemoryWhenIdle();
parentPort?.on('message', (message: ToThread) => {
  notIdle();
  if (message.loadable) loadables.set(message.functionId, message.loadable);
  void answer(message);
});
