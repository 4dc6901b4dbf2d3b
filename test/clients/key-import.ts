import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startKeyService } from '../../infra/local/key-service.ts';
import { readSettings } from '../../infra/settings.ts';
import { clearsigned, publicKeys } from '../../shared/openpgp/signing.ts';

/**
 * `npm run test:clients`: a key of GnuPG is brought along by the lines of the runbook, as they stand there, and those who trust it find a
 * good signature without a change. It needs gpg, gpgsm, gpgv, openssl, xxd and shred.
 */
jest.setTimeout(120_000);

const run = promisify(execFile);
const runbook = readFileSync(join(__dirname, '..', '..', 'RUNBOOK.md'), 'utf8');
const [, lines = ''] =
  /^### Bring the key of another repository manager along\n.*?```sh\n(.*?)```/ms.exec(runbook) ?? [];
const { context } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'cdk.json'), 'utf8')) as {
  context: { stages: { prod: object } };
};
const { stages } = context;
const request = new AbortController().signal;
const environmentBefore = { ...process.env };
const folder = mkdtempSync(join(tmpdir(), 'stockroom-import-'));
const inFolder = (name: string): string => join(folder, name);
const environment = {
  ...environmentBefore,
  GNUPGHOME: folder,
  KMS_FOLDER: folder,
  PATH: `${folder}:${process.env.PATH}`,
};
let service: { readonly url: string; stop(): void };

const gpg = async (...parameters: string[]): Promise<string> =>
  (await run('gpg', ['--batch', '--homedir', folder, ...parameters])).stdout;

beforeAll(async () => {
  chmodSync(folder, 0o700);
  const script = `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${join(__dirname, 'aws-of-key-imports.ts')}' "$@"\n`;
  writeFileSync(inFolder('aws'), script, { mode: 0o755 });
  service = await startKeyService(folder, async () => false);
});
afterAll(async () => {
  process.env = environmentBefore;
  service.stop();
  await run('gpgconf', ['--homedir', folder, '--kill', 'all']);
  rmSync(folder, { recursive: true });
});

describe.each([2_048, 3_072])('A key of GnuPG with %d bits', (bits) => {
  it('signs for the service after the lines of the runbook, with the fingerprint that clients trust', async () => {
    const user = `Old ${bits} <old@example.com>`;
    const unprotected = ['--pinentry-mode', 'loopback', '--passphrase', ''];
    await gpg(...unprotected, '--quick-generate-key', user, `rsa${bits}`, 'sign', '0');
    const [, fingerprint = ''] = /^fpr:+([0-9A-F]{40}):/m.exec(await gpg('--with-colons', '--list-keys', user)) ?? [];
    await gpg('--yes', '--output', inFolder('trusted.gpg'), '--export', fingerprint);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', lines], {
      cwd: folder,
      env: { ...environment, KEY: fingerprint, BITS: String(bits) },
    });
    const printed = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { key: string; createdAt: number };
    const { signingKeys } = readSettings({ prod: { ...stages.prod, signingKeys: [printed] } }, 'prod');
    expect(signingKeys).toEqual([printed]);
    expect((await run('ls', [folder])).stdout.split('\n').filter((name) => /^(?:key\.der|aes)$/.test(name))).toEqual(
      [],
    );

    const access = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const signing = { SIGNING_KEYS: `${printed.key} ${printed.createdAt}`, INSTALLATION: 'example' };
    Object.assign(process.env, { ...access, ...signing, AWS_ENDPOINT_URL_KMS: service.url });
    writeFileSync(inFolder('InRelease'), await clearsigned('Suite: stable\n', new Date(), request));
    writeFileSync(inFolder('key.asc'), await publicKeys(request));
    expect(await gpg('--with-colons', '--show-keys', inFolder('key.asc'))).toContain(`:${fingerprint}:`);
    await run('gpgv', ['--homedir', folder, '--keyring', inFolder('trusted.gpg'), inFolder('InRelease')]);
    const changed = readFileSync(inFolder('InRelease'), 'utf8').replace('stable', 'Stable');
    writeFileSync(inFolder('changed'), changed);
    const refused = run('gpgv', ['--homedir', folder, '--keyring', inFolder('trusted.gpg'), inFolder('changed')]);
    await expect(refused).rejects.toThrow('BAD signature');
  });
});
