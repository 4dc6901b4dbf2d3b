import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { config } from './config.ts';
import { ApiError } from './errors.ts';
import { isOutage } from './outages.ts';

const callBudgetMilliseconds = 3_000;

let client: KMSClient | undefined;

const kms = (): KMSClient => {
  client ??= new KMSClient({
    maxAttempts: 2,
    retryMode: 'standard',
    requestHandler: { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true },
  });
  return client;
};

/** What a ciphertext is bound to: only the same context decrypts it. */
export type EncryptionContext = Readonly<Record<'workspaceId' | 'repositoryId', string>>;

/**
 * Encrypts the password of an upstream, as base64. No function of the control plane has the right to decrypt it.
 * `request` aborts the call when the time of the request is over.
 */
export const encryptUpstreamPassword = async (
  password: string,
  context: EncryptionContext,
  request: AbortSignal,
): Promise<string> => {
  const command = new EncryptCommand({
    KeyId: config.upstreamKeyId,
    Plaintext: Buffer.from(password, 'utf8'),
    EncryptionContext: context,
  });
  try {
    const { CiphertextBlob } = await kms().send(command, {
      abortSignal: AbortSignal.any([request, AbortSignal.timeout(callBudgetMilliseconds)]),
    });
    return Buffer.from(CiphertextBlob ?? []).toString('base64');
  } catch (cause) {
    if (isOutage(cause) || (cause instanceof Error && cause.name === 'ThrottlingException'))
      throw new ApiError('SERVICE_UNAVAILABLE', undefined, [], { cause });
    throw cause;
  }
};
