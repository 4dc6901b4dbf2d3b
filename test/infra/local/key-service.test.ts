import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

const start = async () => {
  const service = await startKeyService(directory);
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
    const verify = async (change: object) => call('VerifyMac', { Message, MacAlgorithm, Mac, ...change });
    expect(await verify({})).toMatchObject({ status: '200', MacValid: true });
    const other = Buffer.from('another reference').toString('base64');
    for (const change of [{ KeyId: 'another' }, { Message: other }, { Mac: Message }, { Mac: '' }])
      expect(await verify(change)).toEqual({ status: '400', __type: 'KMSInvalidMacException' });
  });

  it('has the same key after a restart, which nobody else can read', async () => {
    const { CiphertextBlob } = await (await start())('Encrypt', { Plaintext, EncryptionContext });
    expect(await (await start())('Decrypt', { CiphertextBlob, EncryptionContext })).toMatchObject({ Plaintext });
    expect(statSync(join(directory, 'upstream.key')).mode & 0o777).toBe(0o600);
  });

  it.each(['', 'x', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])(
    'does not start with the key %j',
    async (key) => {
      writeFileSync(join(directory, 'upstream.key'), key);
      await expect(start()).rejects.toThrow('does not contain a key of 32 bytes in base64: restore the file');
    },
  );

  it('knows four operations', async () => {
    const call = await start();
    expect(await call('GenerateDataKey', {})).toEqual({ status: '400', __type: 'UnknownOperationException' });
  });
});
