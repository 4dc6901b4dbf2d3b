import { buffer } from 'node:stream/consumers';
import { config } from './config.ts';
import { ApiError } from './errors.ts';
import { isOutage } from './outages.ts';
import { postSigned } from './signed-requests.ts';

const callBudgetMilliseconds = 3_000;
const silenceMaxMilliseconds = 1_000;
const attemptsMax = 2;

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
  readonly __type?: string;
  readonly message?: string;
}

/** KMS did not do what it was asked to do; the name is that of its error. */
class KeyError extends Error {
  /** As the SDK tells whose fault an error is. */
  readonly $fault: 'client' | 'server';

  constructor(status: number, { __type = 'UnknownError', message }: KeyAnswer) {
    super(message);
    this.name = __type.split('#').at(-1) ?? __type;
    this.$fault = status >= 500 || this.name === 'ThrottlingException' ? 'server' : 'client';
  }
}

/** Calls KMS with the key of the upstreams. Throws SERVICE_UNAVAILABLE when KMS does not answer, throttles or fails. */
const callKms = async (operation: string, fields: object, request?: AbortSignal): Promise<KeyAnswer> => {
  const budget = AbortSignal.timeout(callBudgetMilliseconds);
  const signal = request ? AbortSignal.any([request, budget]) : budget;
  const body = JSON.stringify({ KeyId: config.upstreamKeyId, ...fields });
  for (let attempt = 1; ; attempt += 1)
    try {
      return await send(operation, body, signal);
    } catch (cause) {
      if (!isOutage(cause)) throw cause;
      if (attempt === attemptsMax || signal.aborted)
        throw new ApiError('SERVICE_UNAVAILABLE', undefined, [], { cause });
    }
};

const send = async (operation: string, body: string, signal: AbortSignal): Promise<KeyAnswer> => {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` };
  const answer = await postSigned({ service: 'kms', path: '/', headers, body }, silenceMaxMilliseconds, signal);
  const text = (await buffer(answer.body)).toString();
  if (answer.status === 200) return JSON.parse(text) as KeyAnswer;
  throw new KeyError(answer.status, answer.status < 500 ? (JSON.parse(text) as KeyAnswer) : {});
};
