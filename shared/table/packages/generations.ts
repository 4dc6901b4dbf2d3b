import { equals, isAbsent, setFields } from '../field-writes.ts';
import type { Key } from '../keys.ts';
import type { Update } from '../writes.ts';
import type { BlobRef } from './blobs.ts';

/** A document that was made from one revision of its sources. */
export interface Generation {
  readonly revision: string;
  /** Its bytes. */
  readonly blob: BlobRef;
}

/** Replaces a generation, if its bytes are still those that were read. A revision may come back: whoever read it first may be the last. */
export const generationReplaced = (
  key: Key<Generation>,
  before: Generation | undefined,
  generation: Generation,
): Update => setFields(key, { set: generation }, before ? equals('blob.objectId', before.blob.objectId) : isAbsent);
