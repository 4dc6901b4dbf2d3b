import { createHash, randomBytes } from 'node:crypto';
import { sha256 } from '../../../functions/console/app/sha256.ts';

const expected = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('the SHA-256 of the console', () => {
  it('is that of Node for texts of every length around a block, and for the empty one', () => {
    for (let length = 0; length <= 260; length += 1) {
      const bytes = randomBytes(length);
      expect({ length, hash: sha256().end(bytes) }).toEqual({ length, hash: expected(bytes) });
    }
  });

  it('is that of the whole, in whatever pieces of full blocks it comes', () => {
    const bytes = randomBytes(100_003);
    for (const piece of [64, 128, 6_400, 99_968]) {
      const hash = sha256();
      let at = 0;
      for (; at + piece < bytes.length; at += piece) hash.take(bytes.subarray(at, at + piece));
      expect({ piece, hash: hash.end(bytes.subarray(at)) }).toEqual({ piece, hash: expected(bytes) });
    }
  });
});
