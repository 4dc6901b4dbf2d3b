import { hash } from 'node:crypto';
import { digestOf } from './digests.ts';

/** The digest of bytes. */
export const digestOfBytes = (bytes: Uint8Array): string => digestOf(hash('sha256', bytes));
