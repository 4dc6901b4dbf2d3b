import { createRequire, flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { TestEnvironment } from 'jest-environment-node';
import { readProblem, readReply } from './reply-rules.ts';
import type { ServiceKeeper } from './service-keeper.ts';

// `npm test` starts its processes with a large heap. The threads of functions, which start later, do well with Node's own.
setFlagsFromString('--initial-heap-size=0');
// A thread lives for seconds: a larger nursery is collected half as often, and what the middle compiler makes is seldom run often enough.
for (const flag of ['--min-semi-space-size=16', '--no-maglev']) setFlagsFromString(flag);

let keeper: ServiceKeeper | undefined;

/**
 * Jest lets a process end by listening to it no more, and kills it with a word about leaks half a second later. Node takes
 * most of that to give back the memory: once nothing is left to wait for, the system does it.
 */
const endProcess = (): void => {
  process.once('exit', () => {
    flushCompileCache();
    process.kill(process.pid, 'SIGKILL');
  });
  keeper?.endProcess();
};
process.on('removeListener', (event) => {
  if (event === 'message') endProcess();
});

/**
 * Jest gives each suite modules of its own, and takes them away at its end. This one is loaded once in each process of
 * jest, so what it holds outlives the suites: a service with functions that are warm, the compiled schemas of all replies, and CDK.
 */
export default class extends TestEnvironment {
  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    super(...options);
    this.global.serviceKeeper = async () => {
      const { ServiceKeeper } = await import('./service-keeper.ts');
      keeper ??= new ServiceKeeper();
      return keeper;
    };
    this.global.replyRules = { readProblem, readReply };
    this.global.loadOnce = createRequire(import.meta.url);
  }

  override async setup(): Promise<void> {
    await super.setup();
    keeper?.beginSuite();
  }

  override async teardown(): Promise<void> {
    keeper?.endSuite();
    await super.teardown();
  }
}
