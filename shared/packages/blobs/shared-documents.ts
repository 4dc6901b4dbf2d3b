import { hash } from 'node:crypto';
import { renderedObjectKey } from '../../store/keys.ts';
import { headObject, putObjectOnce } from '../../store/objects.ts';

/**
 * The key of a rendered document that all processes share: the same for all who ask for it in the same form on one day. The lifecycle
 * of the bucket removes it a day later at the earliest.
 */
export const sharedDocumentKey = (...parts: readonly string[]): string => {
  const day = new Date().toISOString().slice(0, 10);
  return renderedObjectKey(hash('sha256', JSON.stringify([...parts, day])));
};

/** The size in bytes of a shared document; undefined if no process has shared it. */
export const sharedSize = async (key: string, signal: AbortSignal): Promise<number | undefined> =>
  (await headObject(key, signal))?.size;

/** Shares a document with the other processes. */
export const shareDocument = putObjectOnce;

/** Shares a document that is too large to be sent in vain. */
export const shareLargeDocument = async (key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> => {
  if ((await sharedSize(key, signal)) === undefined) await shareDocument(key, bytes, signal);
};
