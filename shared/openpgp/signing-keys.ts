import { createPublicKey, hash } from 'node:crypto';
import { signingKeysVariable, variable } from '../config.ts';
import { callKms } from '../kms.ts';
import { multiprecision, uint16, uint32 } from './packets.ts';

/** A key of RSA in KMS, as OpenPGP knows it. */
export interface SigningKey {
  readonly keyId: string;
  /** When it was made, in seconds since 1970: a part of its fingerprint. */
  readonly createdAt: number;
  /** The body of the packet of the public key. */
  readonly body: Buffer;
  /** The SHA-1 of the public key in a frame, as version 4 says. It names the key and proves nothing. */
  readonly fingerprint: Buffer;
}

/** The number of RSA in packets of keys and of signatures. */
export const rsa = 1;

/** What stands for a public key where it is hashed: its packet in the frame of old packets. */
export const framedKey = (body: Uint8Array): Buffer => Buffer.concat([Buffer.from([0x99]), uint16(body.length), body]);

const keyBody = (der: Buffer, createdAt: number): Buffer => {
  const { n = '', e = '' } = createPublicKey({ key: der, format: 'der', type: 'spki' }).export({ format: 'jwk' });
  const numbers = [n, e].map((number) => multiprecision(Buffer.from(number, 'base64url')));
  return Buffer.concat([Buffer.from([4]), uint32(createdAt), Buffer.from([rsa]), ...numbers]);
};

const loadKey = async (keyId: string, createdAt: number, request: AbortSignal): Promise<SigningKey> => {
  const { PublicKey = '' } = await callKms('GetPublicKey', keyId, {}, request);
  const body = keyBody(Buffer.from(PublicKey, 'base64'), createdAt);
  return { keyId, createdAt, body, fingerprint: hash('sha1', framedKey(body), 'buffer') };
};

/** The keys that this process knows, by the words for them: a public key never changes. */
const known = new Map<string, SigningKey>();

/** The keys that sign, as the stage names them. Documents that others have signed are signed anew. It costs no call. */
export const signers = (): string => variable(signingKeysVariable) ?? '';

/**
 * The keys that sign: one, or two while one replaces the other. `request` aborts the calls when the time of the request is over. Throws
 * SERVICE_UNAVAILABLE when KMS does not answer.
 */
export const signingKeys = async (request: AbortSignal): Promise<readonly SigningKey[]> =>
  Promise.all(
    signers()
      .split(',')
      .map(async (words) => {
        const [keyId = '', createdAt] = words.split(' ');
        const key = known.get(words) ?? (await loadKey(keyId, Number(createdAt), request));
        known.set(words, key);
        return key;
      }),
  );

/** Signs a digest of SHA-256: RSA with the padding of PKCS #1 v1.5, which gives the same bytes each time. */
export const signDigest = async ({ keyId }: SigningKey, digest: Buffer, request: AbortSignal): Promise<Buffer> => {
  const message = { Message: digest.toString('base64'), MessageType: 'DIGEST' };
  const fields = { ...message, SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256' };
  const { Signature = '' } = await callKms('Sign', keyId, fields, request);
  return Buffer.from(Signature, 'base64');
};
