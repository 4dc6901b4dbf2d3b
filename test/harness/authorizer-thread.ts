import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { readAssembly } from '../../infra/local/assembly.ts';
import { assemblyDirectory } from './assembly.ts';

/** What a call of the authorizer came to, and how often it hashed a password. */
export interface Verdict {
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
    const outcome = await handler(event).then(() => 'allowed', (error) => error.message);
    parentPort.postMessage({ outcome, hashes });
  });
`;

/** The authorizer's bundle in a thread of its own. */
export class AuthorizerThread {
  private readonly worker: Worker;

  constructor() {
    const authorizer = readAssembly(assemblyDirectory()).functions.find(({ id }) => id === 'authorizer');
    if (!authorizer) throw new Error('The assembly has no authorizer.');
    this.worker = new Worker(script, {
      eval: true,
      workerData: join(authorizer.directory, 'index.js'),
      env: process.env,
    });
  }

  /** Asks for a verdict; one call at a time. */
  async judge(authorization: string): Promise<Verdict> {
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
    this.worker.once('message', resolve);
    this.worker.once('error', reject);
    const event: Partial<APIGatewayRequestAuthorizerEvent> = {
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:api/stage/GET/1/users/me',
      multiValueHeaders: { Authorization: [authorization] },
    };
    this.worker.postMessage(event);
    return promise.finally(() => this.worker.removeListener('error', reject));
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
