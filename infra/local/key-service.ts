import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { keyFrom } from './key-file.ts';
import { type LoopbackServer, serveOnLoopback } from './loopback-server.ts';

interface KeyRequest {
  readonly KeyId?: string;
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
  readonly Message?: string;
  readonly Mac?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Replaces KMS locally: `Encrypt` and `Decrypt` of its wire protocol, with AES-256-GCM and a key file, and `GenerateMac` and
 * `VerifyMac`. Without a data directory, its key is lost when the process ends. `hasTable` says whether the table exists already.
 */
export const startKeyService = async (
  dataDirectory: string | undefined,
  hasTable: () => Promise<boolean>,
): Promise<LoopbackServer> => {
  const key = dataDirectory ? await keyFrom(join(dataDirectory, 'upstream.key'), hasTable) : randomBytes(32);
  return serveOnLoopback((request, response) => void answer(key, request, response));
};

const answer = async (key: Buffer, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const respond = (status: number, body: object) =>
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  try {
    const body = (await json(request)) as KeyRequest;
    const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
    if (operation === 'Encrypt') respond(200, encrypt(key, body));
    else if (operation === 'Decrypt') respond(200, decrypt(key, body));
    else if (operation === 'GenerateMac')
      respond(200, { ...macFields(body), Mac: macOf(key, body).toString('base64') });
    else if (operation !== 'VerifyMac') respond(400, { __type: 'UnknownOperationException' });
    else if (isMac(key, body)) respond(200, { ...macFields(body), MacValid: true });
    else respond(400, { __type: 'KMSInvalidMacException' });
  } catch {
    // As in KMS, a wrong key, a wrong context and a damaged ciphertext give the same error.
    respond(400, { __type: 'InvalidCiphertextException' });
  }
};

/** The context with its keys in order, so that equal contexts give equal bytes. */
const additionalData = ({ EncryptionContext = {} }: KeyRequest): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(EncryptionContext).toSorted(([a], [b]) => (a < b ? -1 : 1))));

const encrypt = (key: Buffer, request: KeyRequest) => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additionalData(request));
  const sealed = Buffer.concat([cipher.update(request.Plaintext ?? '', 'base64'), cipher.final()]);
  return {
    CiphertextBlob: Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64'),
    KeyId: request.KeyId,
    EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
  };
};

const decrypt = (key: Buffer, request: KeyRequest) => {
  const blob = Buffer.from(request.CiphertextBlob ?? '', 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, nonceBytes))
    .setAAD(additionalData(request))
    .setAuthTag(blob.subarray(nonceBytes, nonceBytes + tagBytes));
  const opened = Buffer.concat([decipher.update(blob.subarray(nonceBytes + tagBytes)), decipher.final()]);
  return { Plaintext: opened.toString('base64'), KeyId: request.KeyId, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
};

const macFields = ({ KeyId }: KeyRequest) => ({ KeyId, MacAlgorithm: 'HMAC_SHA_256' });

/** Each key of the stack has a secret of its own, which comes from the one of the key file. */
const macOf = (key: Buffer, { KeyId = '', Message = '' }: KeyRequest): Buffer =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', `mac ${KeyId}`, 32)))
    .update(Buffer.from(Message, 'base64'))
    .digest();

const isMac = (key: Buffer, request: KeyRequest): boolean => {
  const [sent, right] = [Buffer.from(request.Mac ?? '', 'base64'), macOf(key, request)];
  return sent.length === right.length && timingSafeEqual(sent, right);
};
