import { allOf, equals, isAbsent, setFields } from '../field-writes.ts';
import type { Key } from '../keys.ts';
import type { Put, Update } from '../writes.ts';
import type { BlobRef } from './blobs.ts';

/** A document that was made from one revision of its sources. */
export interface Generation {
  readonly revision: string;
  /** How many were made before it and with it; absent if an earlier release made it. */
  readonly number?: number;
  /** Its bytes. */
  readonly blob: BlobRef;
}

/** A file that documents name by its hash. */
export interface GenerationFile {
  readonly blob: BlobRef;
  /** In bytes. */
  readonly size: number;
}

/** What is left of such a file when its bytes are released: the table removes it after this epoch second. */
export interface RemovedGenerationFile {
  readonly expiresAt: number;
}

/** Puts this in the place of a file. */
export const generationFileRemoved = (key: Key<GenerationFile | RemovedGenerationFile>): Put => ({
  put: { ...key, expiresAt: Math.floor(Date.now() / 1000) },
});

/** Replaces a generation, if it is still the one that was read. A revision may come back: whoever read it first may be the last. */
export const generationReplaced = (
  key: Key<Generation>,
  before: Generation | undefined,
  generation: Generation,
): Update => {
  const isSame = before && allOf(equals('blob.objectId', before.blob.objectId), equals('number', before.number));
  return setFields(key, { set: generation }, isSame ?? isAbsent);
};
