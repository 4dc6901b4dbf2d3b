import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readAssembly } from '../../infra/local/assembly.ts';
import { assemblyDirectory } from './assembly.ts';

/** What a call came to, and how often it hashed a password. */
export interface Verdict {
  /** The message of the error, or the status of the response; `allowed` of the authorizer. */
  readonly outcome: string;
  readonly hashes: number;
}

/** Loads the bundle that would be deployed, with node:crypto's argon2 counted. */
const script = `
  const { parentPort, workerData } = require('node:worker_threads');
  const crypto = require('node:crypto');
  const { argon2 } = crypto;
  let hashes = 0;
  crypto.argon2 = (...parameters) => {
    hashes += 1;
    return argon2(...parameters);
  };
  const { handler } = require(workerData);
  parentPort.on('message', async (event) => {
    hashes = 0;
    const outcome = await handler(event, {}).then(
      ({ statusCode = 'allowed' }) => String(statusCode),
      (error) => error.message,
    );
    parentPort.postMessage({ outcome, hashes });
  });
`;

/** The bundle of a function in a thread of its own. */
export class FunctionThread {
  private readonly worker: Worker;

  constructor(functionId: string) {
    const deployed = readAssembly(assemblyDirectory()).functions.find(({ id }) => id === functionId);
    if (!deployed) throw new Error(`The assembly has no function ${functionId}.`);
    this.worker = new Worker(script, {
      eval: true,
      workerData: join(deployed.directory, 'index.js'),
      env: process.env,
      stdout: true,
    });
  }

  /** Calls the function; one call at a time. */
  async call(event: object): Promise<Verdict> {
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
    this.worker.once('message', resolve);
    this.worker.once('error', reject);
    this.worker.postMessage(event);
    return promise.finally(() => this.worker.removeListener('error', reject));
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
