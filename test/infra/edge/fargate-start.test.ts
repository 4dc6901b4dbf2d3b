import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const script = readFileSync(join(__dirname, '..', '..', '..', 'infra', 'edge', 'fargate-start.js'), 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'stockroom-container-'));
const bundle = join(directory, 'index.js');
let server: Server;
let answers: (object | undefined)[] = [];
let asked: string[] = [];

/** What Fargate answers a task that asks for its credentials. */
const credentials = (number: number) => ({
  AccessKeyId: `key-${number}`,
  SecretAccessKey: `secret-${number}`,
  Token: `token-${number}`,
  Expiration: '2026-11-22T12:00:00Z',
});

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    response.writeHead(answer ? 200 : 500).end(JSON.stringify(answer ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

/** Starts a container whose bundle does this. */
const start = (source: string): ChildProcess => {
  writeFileSync(bundle, source);
  asked = [];
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: '/',
    env: {
      AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/abc',
      CREDENTIALS_HOST: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      CREDENTIALS_MILLISECONDS: '20',
      DOOR_BUNDLE: bundle,
    },
  });
};

const end = async (child: ChildProcess) => {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The container has no output.');
  const [output, errors, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { output, errors, code: code as number };
};

describe('The container of the door', () => {
  it('has its credentials before the bundle starts', async () => {
    answers = [credentials(1)];
    const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_CREDENTIAL_EXPIRATION'];
    const { output, code } = await end(
      start(`console.log(${JSON.stringify(names)}.map((name) => process.env[name]).join()); process.exit(0)`),
    );
    expect([code, output.trim()]).toEqual([0, 'key-1,secret-1,token-1,2026-11-22T12:00:00Z']);
    expect(asked[0]).toBe('/v2/credentials/abc');
  });

  it('has new ones when Fargate changes them, also after Fargate failed to answer', async () => {
    answers = [credentials(1), undefined, credentials(2)];
    const untilSecond = `const wait = setInterval(() => {
      if (process.env.AWS_SESSION_TOKEN === 'token-2') { console.log('changed'); clearInterval(wait); process.exit(0); }
    }, 5)`;
    const { output, errors, code } = await end(start(untilSecond));
    expect([code, output.trim()]).toEqual([0, 'changed']);
    expect(JSON.parse(errors)).toEqual({ level: 'ERROR', message: 'The credentials of the task cannot be read.' });
    expect(errors).not.toContain('secret-');
  });

  it('ends without credentials, so that Fargate starts another', async () => {
    answers = [undefined];
    const { output, code } = await end(start("console.log('started')"));
    expect([code, output]).toEqual([1, '']);
  });
});
