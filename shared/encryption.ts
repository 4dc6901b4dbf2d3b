import { config } from './config.ts';
import { callKms } from './kms.ts';

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
  const { CiphertextBlob = '' } = await callKms(
    'Encrypt',
    config.upstreamKeyId,
    { Plaintext, EncryptionContext: context },
    request,
  );
  return CiphertextBlob;
};

/** Decrypts the password of an upstream. */
export const decryptUpstreamPassword = async (
  CiphertextBlob: string,
  context: EncryptionContext,
  request?: AbortSignal,
): Promise<string> => {
  const { Plaintext = '' } = await callKms(
    'Decrypt',
    config.upstreamKeyId,
    { CiphertextBlob, EncryptionContext: context },
    request,
  );
  return Buffer.from(Plaintext, 'base64').toString('utf8');
};
