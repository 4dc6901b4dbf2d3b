import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the local runner: the functions and their threads. */
export const localFunctionMutants: readonly Mutant[] = [
  ...bugsIn('infra/local/lambda.ts', 'infra/local/lambda', {
    'an event of any size reaches a function': [
      "if (bytes > payloadBytesMax) throw new PayloadTooLarge('The event exceeds 6 MB.');",
      '',
    ],
    'an answer of any size leaves a function': [
      "if (Buffer.byteLength(result ?? '') > payloadBytesMax) throw new FunctionError('The answer exceeds 6 MB.');",
      '',
    ],
    'an event is tried once': ['attempt <= retries', 'attempt < 1'],
    'an event is tried after its success': [
      'await this.invoke(event, { isPatient: true });\n        return true;',
      'await this.invoke(event, { isPatient: true });',
    ],
    'a refused credential is logged as a failure': ["if (error.message !== 'Unauthorized') this.log", 'this.log'],
    'nobody hears of a missing right': ['if (!isAllowed) this.log', 'if (isAllowed && !isAllowed) this.log'],
    'a call waits while 40 others run': ['callsAtOnceMax = 64', 'callsAtOnceMax = 40', 'infra/local/function-threads'],
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
    'nobody hears of a failure between two calls': [
      'if (calls.length === 0 && isFirst) this.residents.get(functionId)?.hear({ end });',
      '',
    ],
  }),
  ...bugsIn('infra/local/function-threads.ts', 'infra/local/function-threads', {
    'each function has a thread of its own': ['this.threadIndexes.size % this.max', 'this.places.size'],
    'all functions share one thread': ['this.threadIndexes.size % this.max', '0'],
    'a thread ends with calls': ['this.isRetired && this.pending.size === 0', 'this.isRetired'],
    'a failure of one function ends the calls of all': ['if (endsThread) return;', 'if (end) return void this.end();'],
    'the calls of a function that failed wait for their time': [
      'for (const { settle } of calls) settle({ error: end });',
      '',
    ],
    'a function that failed goes on with what it has left behind': [
      'this.ended.add(functionId);\n    this.isRetired = true;',
      'this.ended.add(functionId);',
    ],
    'a function answers for the failure of another one': ['  called === functionId\n', "  called !== ''\n"],
  }),
  ...bugsIn('infra/local/function-bundle.ts', 'infra/local/function-threads', {
    'functions with the same code share its state': ['Reflect.deleteProperty(require.cache, loaded)', 'void loaded'],
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
      "process.on('uncaughtException',",
      "process.on('uncaughtExceptions',",
    ],
    'the failure of one function is that of its thread': ['if (atWork) {', 'if (!atWork) {'],
  }),
  ...bugsIn('infra/local/turns.ts', ['infra/local/turns', 'infra/local/gateway#503'], {
    'calls wait without number': ['this.waiting.size >= waitingMax || ', ''],
    'who has gone keeps his place': ["signal?.addEventListener('abort', giveUp);", ''],
  }),
  ...bugsIn('infra/local/turns.ts', 'infra/local/turns', {
    'calls wait with bytes without number': [' || this.waitingBytes + bytes > waitingBytesMax', ''],
    'bytes of calls that run count as waiting': ['      this.waitingBytes -= bytes;\n', ''],
    'events are given up when many wait': ['!isPatient && ', ''],
  }),
  ...bugsIn('infra/local/gateway.ts', 'infra/local/gateway#503', {
    'a call that was not begun is a failure': [
      "if (error instanceof CallNotBegun) return refuse('INTEGRATION_FAILURE');",
      '',
    ],
  }),
];
