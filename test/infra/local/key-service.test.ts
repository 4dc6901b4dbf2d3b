import { execFile } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startKeyService } from '../../../infra/local/key-service.ts';

const started: { stop(): void }[] = [];
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-key-'));
});
afterEach(() => {
  for (const service of started.splice(0)) service.stop();
  rmSync(directory, { recursive: true });
});

const start = async ({ hasTable = false } = {}) => {
  const service = await startKeyService(directory, async () => hasTable);
  started.push(service);
  return async (operation: string, request: object): Promise<Record<string, string>> => {
    const answer = await fetch(service.url, {
      method: 'POST',
      headers: { 'X-Amz-Target': `TrentService.${operation}` },
      body: JSON.stringify({ KeyId: 'key', ...request }),
    });
    return { status: `${answer.status}`, ...((await answer.json()) as object) };
  };
};

const run = promisify(execFile);

/** A program that prints the key of a data directory. */
const keyOf = (folder: string): string =>
  `import('${join(__dirname, '..', '..', '..', 'infra', 'local', 'key-file.ts')}')
    .then(({ keyFrom }) => keyFrom('${join(folder, 'upstream.key')}', async () => false))
    .then((key) => process.stdout.write(key.toString('hex')))`;

const Plaintext = Buffer.from('password').toString('base64');
const EncryptionContext = { workspaceId: 'w', repositoryId: 'r' };

describe('The stand-in for KMS', () => {
  it('decrypts for the same repository, however it is named, and for no other', async () => {
    const call = await start();
    const { CiphertextBlob } = await call('Encrypt', { Plaintext, EncryptionContext });
    expect(CiphertextBlob).not.toContain(Plaintext);
    const decrypt = async (context: object) => call('Decrypt', { CiphertextBlob, EncryptionContext: context });
    expect(await decrypt(EncryptionContext)).toMatchObject({ status: '200', Plaintext });
    expect(await decrypt({ repositoryId: 'r', workspaceId: 'w' })).toMatchObject({ status: '200', Plaintext });
    for (const context of [{ ...EncryptionContext, repositoryId: 'other' }, { workspaceId: 'w' }, {}])
      expect(await decrypt(context)).toEqual({ status: '400', __type: 'InvalidCiphertextException' });
  });

  it('encrypts the same password to other bytes each time, and refuses those that somebody changed', async () => {
    const call = await start();
    const [{ CiphertextBlob: one }, { CiphertextBlob: other }] = await Promise.all([
      call('Encrypt', { Plaintext, EncryptionContext }),
      call('Encrypt', { Plaintext, EncryptionContext }),
    ]);
    expect(one).not.toBe(other);
    const bytes = Buffer.from(String(one), 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const CiphertextBlob = bytes.toString('base64');
    expect((await call('Decrypt', { CiphertextBlob, EncryptionContext })).status).toBe('400');
  });

  it('verifies what it has signed with the same key, and nothing else', async () => {
    const call = await start();
    const [Message, MacAlgorithm] = [Buffer.from('a reference').toString('base64'), 'HMAC_SHA_256'];
    const { Mac } = await call('GenerateMac', { Message, MacAlgorithm });
    expect(Buffer.from(String(Mac), 'base64')).toHaveLength(32);
    const verifyMac = async (change: object) => call('VerifyMac', { Message, MacAlgorithm, Mac, ...change });
    expect(await verifyMac({})).toMatchObject({ status: '200', MacValid: true });
    const other = Buffer.from('another reference').toString('base64');
    for (const change of [{ KeyId: 'another' }, { Message: other }, { Mac: Message }, { Mac: '' }])
      expect(await verifyMac(change)).toEqual({ status: '400', __type: 'KMSInvalidMacException' });
  });

  it('has the same key after a restart, which nobody else can read', async () => {
    const { CiphertextBlob } = await (await start())('Encrypt', { Plaintext, EncryptionContext });
    expect(await (await start())('Decrypt', { CiphertextBlob, EncryptionContext })).toMatchObject({ Plaintext });
    expect(statSync(join(directory, 'upstream.key')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['', true],
    ['x', false],
    [Buffer.alloc(31).toString('base64'), false],
    [Buffer.alloc(33).toString('base64'), true],
  ])('does not start with the key %j, which stays (there is a table: %s)', async (key, hasTable) => {
    writeFileSync(join(directory, 'upstream.key'), key);
    await expect(start({ hasTable })).rejects.toThrow('does not contain a key of 32 bytes in base64: restore the file');
    expect(readFileSync(join(directory, 'upstream.key'), 'utf8')).toBe(key);
    expect(readdirSync(directory)).toEqual(['upstream.key']);
  });

  it('begins with a new key where a start was killed before its key and its table, which a later start has', async () => {
    writeFileSync(join(directory, 'upstream.key'), '');
    writeFileSync(join(directory, 'upstream.key.left'), 'half of a k');
    const { CiphertextBlob } = await (await start())('Encrypt', { Plaintext, EncryptionContext });
    const again = await start({ hasTable: true });
    expect(await again('Decrypt', { CiphertextBlob, EncryptionContext })).toMatchObject({ Plaintext });
  });

  it('leaves nothing where there is no room for its key, and has one when there is', async () => {
    // A file that gets too long for a limit ends where the limit is, as on a full disk.
    const limited = run('sh', ['-c', `ulimit -f 0; exec ${process.execPath} --eval "${keyOf(directory)}"`]);
    await expect(limited).rejects.toThrow(/upstream\.key cannot be written \(EFBIG\): make room/);
    expect(readdirSync(directory)).toEqual([]);
    await start();
    expect(statSync(join(directory, 'upstream.key')).size).toBe(44);
  });

  it('has one key for all starts at the same moment', async () => {
    const starts = Array.from({ length: 4 }, async () => run(process.execPath, ['--eval', keyOf(directory)]));
    expect(new Set((await Promise.all(starts)).map(({ stdout }) => stdout)).size).toBe(1);
    expect(readdirSync(directory)).toEqual(['upstream.key']);
  });

  it('signs digests of SHA-256 with a key for each name, which a restart has again and nobody else can read', async () => {
    const call = await start();
    const digest = createHash('sha256').update('a document').digest('base64');
    const signed = { Message: digest, MessageType: 'DIGEST', SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256' };
    const { PublicKey } = await call('GetPublicKey', {});
    const { Signature } = await call('Sign', signed);
    const key = createPublicKey({ key: Buffer.from(String(PublicKey), 'base64'), format: 'der', type: 'spki' });
    expect(verify('sha256', Buffer.from('a document'), key, Buffer.from(String(Signature), 'base64'))).toBe(true);
    expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: 3_072 });
    expect(statSync(join(directory, 'signing-key.pem')).mode & 0o777).toBe(0o600);
    const again = await start();
    expect(await again('GetPublicKey', { KeyId: 'arn:aws:kms:eu-west-1:1:key/key' })).toMatchObject({ PublicKey });
    expect((await again('GetPublicKey', { KeyId: 'other' })).PublicKey).not.toBe(PublicKey);
    for (const change of [{ MessageType: 'RAW' }, { SigningAlgorithm: 'RSASSA_PSS_SHA_256' }, { Message: 'YQ==' }])
      expect(await call('Sign', { ...signed, ...change })).toEqual({ status: '400', __type: 'ValidationException' });
  });

  it('knows six operations', async () => {
    const call = await start();
    expect(await call('GenerateDataKey', {})).toEqual({ status: '400', __type: 'UnknownOperationException' });
  });
});
