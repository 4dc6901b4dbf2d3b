import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a file of random bytes, of which memory holds one piece. */
export const writeLargeFile = async (path: string, bytes: number): Promise<void> => {
  const piece = randomBytes(1024 * 1024);
  const pieces = function* (): Generator<Buffer> {
    for (let left = bytes; left > 0; left -= piece.length) {
      // Each piece is another one.
      piece.writeDoubleBE(left);
      yield Buffer.from(piece.subarray(0, left));
    }
  };
  await pipeline(Readable.from(pieces()), createWriteStream(path));
};

/** The SHA-256 of a file, in hex. */
export const sha256OfFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};
