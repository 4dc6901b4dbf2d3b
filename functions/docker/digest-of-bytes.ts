import { createHash } from 'node:crypto';
import { digestOf } from './digests.ts';

/** The digest of bytes. */
export const digestOfBytes = (bytes: Uint8Array): string => digestOf(createHash('sha256').update(bytes).digest('hex'));
