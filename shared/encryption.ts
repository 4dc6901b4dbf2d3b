import { config } from './config.ts';
import { callService } from './service-calls.ts';

const callBudgetMilliseconds = 3_000;
const silenceMilliseconds = 1_000;

/** What a ciphertext belongs to. It can be decrypted only with the same context. */
export type EncryptionContext = Readonly<Record<'workspaceId' | 'repositoryId', string>>;

/**
 * Encrypts the password of an upstream, as base64. Only the functions that ask upstreams have the right to decrypt it.
 * `request` aborts the call when the time of the request is over.
 */
export const encryptUpstreamPassword = async (
  password: string,
  context: EncryptionContext,
  request: AbortSignal,
): Promise<string> => {
  const Plaintext = Buffer.from(password, 'utf8').toString('base64');
  const { CiphertextBlob = '' } = await callKms('Encrypt', { Plaintext, EncryptionContext: context }, request);
  return CiphertextBlob;
};

/** Decrypts the password of an upstream. */
export const decryptUpstreamPassword = async (
  CiphertextBlob: string,
  context: EncryptionContext,
  request?: AbortSignal,
): Promise<string> => {
  const { Plaintext = '' } = await callKms('Decrypt', { CiphertextBlob, EncryptionContext: context }, request);
  return Buffer.from(Plaintext, 'base64').toString('utf8');
};

/** What KMS answers, as JSON; bytes are in base64. */
interface KeyAnswer {
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
}

/** Calls KMS with the key of the upstreams. Throws SERVICE_UNAVAILABLE when KMS does not answer, throttles or fails. */
const callKms = async (operation: string, fields: object, request?: AbortSignal): Promise<KeyAnswer> => {
  const budget = AbortSignal.timeout(callBudgetMilliseconds);
  const signal = request ? AbortSignal.any([request, budget]) : budget;
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` };
  const body = JSON.stringify({ KeyId: config.upstreamKeyId, ...fields });
  const call = { service: 'kms', path: '/', headers, body, expected: 200, silenceMilliseconds } as const;
  return JSON.parse(await callService(call, signal)) as KeyAnswer;
};
