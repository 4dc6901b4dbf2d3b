import { hash } from 'node:crypto';
import { doorSettings } from '../door-settings.ts';
import { callKms } from '../kms.ts';
import type { FileHashes } from './hashes.ts';
import type { StagedUpload } from './received-file.ts';

/** How long a reference is honoured: the door calls with it as soon as it is signed. */
const lifetimeMilliseconds = 5 * 60 * 1000;

/** What stands for a body that the door has staged, for one request of one caller. */
export interface UploadReference extends StagedUpload {
  /** A UUID. A reference is honoured once. */
  readonly id: string;
  /** The ID of the actor whom the API has allowed to send the body. */
  readonly caller: string;
  /** The digest of the request. */
  readonly request: string;
  /** In milliseconds. */
  readonly expiresAt: number;
}

/** The parts of a request that a reference is bound to. */
export interface ReferencedRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Each parameter with its value, decoded, in any order. */
  readonly query: readonly (readonly [string, string])[];
  readonly mediaType: string | undefined;
}

/** The digest of a request. Requests have the same one only if they are the same. */
export const digestOf = ({ method, path, query, mediaType = '' }: ReferencedRequest): string => {
  const parameters = query.map((parameter) => JSON.stringify(parameter)).toSorted();
  return hash('sha256', JSON.stringify([method, path, parameters, mediaType]), 'base64url');
};

const keyId = (): string => {
  if (doorSettings.keyId === undefined) throw new Error('This stage has no door.');
  return doorSettings.keyId;
};

const macRequest = (payload: string) => ({
  MacAlgorithm: 'HMAC_SHA_256',
  Message: Buffer.from(payload).toString('base64'),
});

/** Signs a reference: `payload.MAC`, both in base64url. The key signs in KMS, and only the door may ask it to. */
export const signReference = async (
  reference: Omit<UploadReference, 'expiresAt'>,
  signal: AbortSignal,
): Promise<string> => {
  const content = { ...reference, expiresAt: Date.now() + lifetimeMilliseconds } satisfies UploadReference;
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
  const { Mac = '' } = await callKms('GenerateMac', keyId(), macRequest(payload), signal);
  return `${payload}.${Buffer.from(Mac, 'base64').toString('base64url')}`;
};

/** What a reference says, whoever made it; undefined if it is malformed. */
export const readReference = (text: string): UploadReference | undefined => {
  try {
    const content: unknown = JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString());
    return isReference(content) ? content : undefined;
  } catch {
    return undefined;
  }
};

const isReference = (value: unknown): value is UploadReference => {
  if (typeof value !== 'object' || value === null) return false;
  const { id, key, size, hashes, caller, request, expiresAt } = value as Partial<UploadReference>;
  return (
    [id, key, caller, request, (hashes as Partial<FileHashes> | undefined)?.sha256].every(
      (text) => typeof text === 'string',
    ) && [size, expiresAt].every((number) => Number.isSafeInteger(number))
  );
};

/** Whether the door has signed a reference. Throws SERVICE_UNAVAILABLE if KMS does not answer. */
export const isSigned = async (text: string, signal: AbortSignal): Promise<boolean> => {
  const [payload = '', mac = '', ...others] = text.split('.');
  if (payload === '' || mac === '' || others.length > 0) return false;
  const Mac = Buffer.from(mac, 'base64url').toString('base64');
  try {
    await callKms('VerifyMac', keyId(), { ...macRequest(payload), Mac }, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'KMSInvalidMacException') return false;
    throw error;
  }
};
