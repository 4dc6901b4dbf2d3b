import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { readAssembly } from '../../infra/local/assembly.ts';
import { ensureTable } from '../../infra/local/create-table.ts';
import { startRunner } from '../../infra/local/runner.ts';
import { assemblyDirectory } from '../harness/assembly.ts';
import { startTableEngine } from '../harness/table-engine.ts';

const password = 'made-by-secrets-manager';

/** Stands for Secrets Manager and for the place of CloudFormation's answers. */
const startAws = async (): Promise<{
  server: Server;
  url: string;
  answers: Record<string, unknown>[];
  reads: () => number;
}> => {
  const answers: Record<string, unknown>[] = [];
  let reads = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
      if (request.method === 'PUT') answers.push(body);
      else reads += 1;
      response.setHeader('Content-Type', 'application/x-amz-json-1.1');
      response.end(JSON.stringify({ SecretString: password }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers, reads: () => reads };
};

/** Runs the bundle as Lambda would, in a thread with the function's own environment; returns the lines of its log. */
const invoke = async (variables: Record<string, string>, event: object): Promise<string[]> => {
  const definition = readAssembly(assemblyDirectory()).functions.find(({ id }) => id === 'first-admin');
  if (!definition) throw new Error('The stack has no function first-admin.');
  const worker = new Worker(
    `const { workerData } = require('node:worker_threads');
     require(workerData.file).handler(workerData.event).then(() => process.exit());`,
    {
      eval: true,
      env: { ...definition.environment, ...variables },
      workerData: { file: join(definition.directory, 'index.js'), event },
      stdout: true,
      stderr: true,
    },
  );
  const lines = [worker.stdout, worker.stderr].map(async (input) => text(input));
  await once(worker, 'exit');
  return (await Promise.all(lines)).join('').split('\n').filter(Boolean);
};

const signIn = async (url: string, secret: string): Promise<number> => {
  const headers = { Authorization: `Basic ${Buffer.from(`admin:${secret}`).toString('base64')}` };
  return (await fetch(`${url}/1/users/me`, { headers })).status;
};

const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'tests', AWS_SECRET_ACCESS_KEY: 'tests' };

describe('the custom resource of the first admin', () => {
  it('creates the admin with the generated password, once, and tells CloudFormation each time', async () => {
    Object.assign(process.env, credentials);
    const [aws, engine] = await Promise.all([startAws(), startTableEngine()]);
    const assembly = assemblyDirectory();
    await ensureTable(readAssembly(assembly).table, engine.url, { accessKeyId: 'tests', secretAccessKey: 'tests' });
    const deploy = async (RequestType: string) =>
      invoke(
        { ...credentials, AWS_ENDPOINT_URL_DYNAMODB: engine.url, AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.url },
        { RequestType, RequestId: '1', LogicalResourceId: 'User', StackId: 's', ResponseURL: `${aws.url}/answer` },
      );
    for (const type of ['Create', 'Create', 'Update', 'Delete']) await deploy(type);
    const runner = await startRunner({
      assembly,
      host: '127.0.0.1',
      port: 0,
      dataDir: ':memory:',
      dynamodbEndpoint: engine.url,
      logSink: () => {},
    });
    try {
      const success = {
        Status: 'SUCCESS',
        PhysicalResourceId: 'first-admin',
        RequestId: '1',
        LogicalResourceId: 'User',
      };
      expect(aws.answers).toEqual(Array.from({ length: 4 }, () => ({ ...success, StackId: 's' })));
      expect(aws.reads()).toBe(1);
      expect(runner.firstAdmin).toBeUndefined();
      expect([await signIn(runner.url, password), await signIn(runner.url, 'another')]).toEqual([200, 401]);
    } finally {
      await runner.stop();
      await engine.stop();
      aws.server.close();
    }
  });

  it('tells CloudFormation that it failed, instead of letting it wait, and logs an ERROR that says why', async () => {
    const aws = await startAws();
    const lines = await invoke(
      { ...credentials, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1', AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.url },
      { RequestType: 'Create', RequestId: '2', LogicalResourceId: 'User', StackId: 's', ResponseURL: aws.url },
    );
    aws.server.close();
    expect(aws.answers).toEqual([
      expect.objectContaining({ Status: 'FAILED', Reason: expect.stringContaining('log') }),
    ]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        level: 'ERROR',
        message: 'custom resource failed',
        failure: expect.objectContaining({ message: expect.stringMatching(/\S/), stack: expect.any(String) }),
      }),
    ]);
  });
});
