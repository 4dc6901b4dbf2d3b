import { hash } from 'node:crypto';
import { storeMilliseconds } from '../../limits.ts';
import { renderedObjectKey } from '../../store/keys.ts';
import { headObject, putObjectOnce, readObject } from '../../store/objects.ts';

/**
 * The key of a rendered document that all processes share: the same for all who ask for it in the same form on one day. The lifecycle
 * of the bucket removes it a day later at the earliest.
 */
export const sharedDocumentKey = (...parts: readonly string[]): string => {
  const day = new Date().toISOString().slice(0, 10);
  return renderedObjectKey(hash('sha256', JSON.stringify([...parts, day])));
};

/** A call of the store for a document that may be made of a late answer of an upstream: the time of the request can be over. */
const storeDeadline = (): AbortSignal => AbortSignal.timeout(storeMilliseconds);

/** The size in bytes of a shared document; undefined if no process has shared it. */
export const sharedSize = async (key: string): Promise<number | undefined> =>
  (await headObject(key, storeDeadline()))?.size;

/** The bytes of a shared document; undefined if no process has shared it. */
export const readShared = async (key: string): Promise<Buffer | undefined> => readObject(key, storeDeadline());

/** Shares a document with the other processes. */
export const shareDocument = async (key: string, bytes: Uint8Array): Promise<void> =>
  putObjectOnce(key, bytes, storeDeadline());

/** Shares a document that is too large to be sent in vain. */
export const shareLargeDocument = async (key: string, bytes: Uint8Array): Promise<void> => {
  if ((await sharedSize(key)) === undefined) await shareDocument(key, bytes);
};
