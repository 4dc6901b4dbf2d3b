import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { sortedEntries } from '../../shared/sorted-entries.ts';
import { keyFrom } from './key-file.ts';
import { type LoopbackServer, serveOnLoopback } from './loopback-server.ts';
import { LocalSigningKeys } from './signing-keys.ts';

interface KeyRequest {
  readonly KeyId?: string;
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
  readonly Message?: string;
  readonly Mac?: string;
  readonly MessageType?: string;
  readonly SigningAlgorithm?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Replaces KMS locally: `Encrypt` and `Decrypt` of its wire protocol, with AES-256-GCM and a key file, `GenerateMac` and
 * `VerifyMac`, `GetPublicKey` and `Sign`. Without a data directory, its keys are lost when the process ends. `hasTable` says whether the table exists already.
 */
export const startKeyService = async (
  dataDirectory: string | undefined,
  hasTable: () => Promise<boolean>,
): Promise<LoopbackServer> => {
  const key = dataDirectory ? await keyFrom(join(dataDirectory, 'upstream.key'), hasTable) : randomBytes(32);
  const signing = new LocalSigningKeys(dataDirectory);
  return serveOnLoopback((request, response) => void answer({ key, signing }, request, response));
};

interface Keys {
  readonly key: Buffer;
  readonly signing: LocalSigningKeys;
}

type Operation = (keys: Keys, request: KeyRequest) => object | Promise<object>;

const operations: Readonly<Record<string, Operation>> = {
  Encrypt: ({ key }, request) => encrypt(key, request),
  Decrypt: ({ key }, request) => decrypt(key, request),
  GenerateMac: ({ key }, request) => ({ ...macFields(request), Mac: macOf(key, request).toString('base64') }),
  VerifyMac: ({ key }, request) => {
    if (!isMac(key, request)) throw new KeyError('KMSInvalidMacException');
    return { ...macFields(request), MacValid: true };
  },
  GetPublicKey: async ({ signing }, { KeyId = '' }) => ({
    KeyId,
    PublicKey: (await signing.publicKey(KeyId)).toString('base64'),
  }),
  Sign: async ({ signing }, request) => sign(signing, request),
};

/** An error of KMS by its name. */
class KeyError extends Error {}

const answer = async (keys: Keys, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const respond = (status: number, body: object) =>
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  try {
    const body = (await json(request)) as KeyRequest;
    const operation = operations[String(request.headers['x-amz-target']).replace('TrentService.', '')];
    if (!operation) throw new KeyError('UnknownOperationException');
    respond(200, await operation(keys, body));
  } catch (error) {
    // As in KMS, a wrong key, a wrong context and a damaged ciphertext give the same error.
    respond(400, { __type: error instanceof KeyError ? error.message : 'InvalidCiphertextException' });
  }
};

/** What the functions sign, and nothing else: a digest of SHA-256. */
const sign = async (signing: LocalSigningKeys, { KeyId = '', Message = '', ...request }: KeyRequest) => {
  const { MessageType, SigningAlgorithm } = request;
  const digest = Buffer.from(Message, 'base64');
  if (MessageType !== 'DIGEST' || SigningAlgorithm !== 'RSASSA_PKCS1_V1_5_SHA_256' || digest.length !== 32)
    throw new KeyError('ValidationException');
  return { KeyId, SigningAlgorithm, Signature: (await signing.sign(KeyId, digest)).toString('base64') };
};

/** The context with its keys in order, so that equal contexts give equal bytes. */
const additionalData = ({ EncryptionContext = {} }: KeyRequest): Buffer =>
  Buffer.from(JSON.stringify(sortedEntries(EncryptionContext)));

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
