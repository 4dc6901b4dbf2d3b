import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';

/** The SHA-256 of bytes, or of a text in UTF-8, in hex. */
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** A text of an even length that compression makes no shorter than half of it. */
export const randomText = (length: number): string => randomBytes(length / 2).toString('hex');

const surrogatesFirst = 0xd800;
const surrogates = 0x800;

/** Any character but halves of surrogate pairs. fast-check has this unit as 'binary', whose table of all of them takes a second to build. */
export const codePoint: fc.Arbitrary<string> = fc
  .nat(0x10ffff - surrogates)
  .map((number) => String.fromCodePoint(number < surrogatesFirst ? number : number + surrogates));
