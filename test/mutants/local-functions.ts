import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the local runner: the functions and their threads. */
export const localFunctionMutants: readonly Mutant[] = [
  ...bugsIn('infra/local/lambda.ts', 'infra/local/lambda', {
    'an event of any size reaches a function': [
      "if (Buffer.byteLength(payload) > payloadBytesMax) throw new PayloadTooLarge('The event exceeds 6 MB.');",
      '',
    ],
    'an answer of any size leaves a function': [
      "if (Buffer.byteLength(result ?? '') > payloadBytesMax) throw new FunctionError('The answer exceeds 6 MB.');",
      '',
    ],
    'an event is tried once': ['attempt <= retries', 'attempt < 1'],
    'an event is tried after its success': [
      '        await this.invoke(event);\n        return true;',
      '        await this.invoke(event);',
    ],
    'a refused credential is logged as a failure': ["if (error.message !== 'Unauthorized') this.log", 'this.log'],
    'nobody hears of a missing right': ['if (!isAllowed) this.log', 'if (isAllowed && !isAllowed) this.log'],
    'calls share too few connections': ['callsAtOnceMax = 64', 'callsAtOnceMax = 640', 'infra/local/function-threads'],
  }),
  ...bugsIn('infra/local/function-threads.ts', 'infra/local/lambda', {
    'a function that hangs keeps its thread': ['this.isRetired = true;\n        settle(', 'settle('],
    'a function without end is waited for': [
      '}, startMilliseconds + milliseconds);',
      '}, startMilliseconds + milliseconds * 1000);',
    ],
    'a call after the end starts the function again': [
      "if (this.isStopped) return { requestId, error: { errorType: 'Stopped', message: 'The runner stops.' } };",
      '',
    ],
    'a function that ends leaves its callers waiting': [
      'settle({ error: this.culprit ? failureBy(this.culprit, functionId) : failure });',
      '',
    ],
    'nobody hears of a failure between two calls': ['if (!isCalled) resident?.hear({ end });', ''],
  }),
  ...bugsIn('infra/local/function-threads.ts', 'infra/local/function-threads', {
    'each function has a thread of its own': ['this.places.size % this.max', 'this.places.size'],
    'all functions share one thread': ['this.places.size % this.max', '0'],
    'a thread ends with calls': ['this.isRetired && this.pending.size === 0', 'this.isRetired'],
    'a function answers for the failure of another one': ['  called === functionId\n', "  called !== ''\n"],
  }),
  ...bugsIn('infra/local/function-bundle.ts', 'infra/local/function-threads', {
    'functions with the same code share its state': ['delete require.cache[path];', ''],
    'a bundle is loaded for nobody': [
      'running.run(this, () => require(path) as',
      '((load: () => unknown) => load())(() => require(path) as',
    ],
  }),
  ...bugsIn('infra/local/lambda-worker.ts', 'infra/local/function-threads', {
    'all functions of a thread have the variables of the first': [
      'functionAtWork()?.variables ?? ofThread',
      'ofThread',
    ],
    'what a function writes is told of another one': [
      'const { id } = atWork.definition;',
      'const id = [...loadables.keys()][0] as string;',
    ],
    'a rejection that nobody handles is the end of nobody': [
      "process.once('uncaughtException',",
      "process.once('uncaughtExceptions',",
    ],
  }),
];
