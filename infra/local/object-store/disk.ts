import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { bufferedBytes } from './shared-files.ts';

/** Only what waits for the disk goes to another thread: to open, to close and to write a little into memory is done sooner than handed over. */
export const bringToDisk = promisify(fs.fsync);
const writeFile = promisify(fs.writeFile);

/** Writes pieces, several at once, but for the last ones, which it returns. The next ones are measured while the disk takes those before. */
export const writePieces = async (file: number, pieces: AsyncIterable<Buffer>): Promise<readonly Buffer[]> => {
  let written: Promise<void> = Promise.resolve();
  let waiting: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      waiting.push(piece);
      bytes += piece.length;
      if (bytes < bufferedBytes) continue;
      await written;
      written = writeFile(file, Buffer.concat(waiting));
      // Whoever waits for the write hears of its failure.
      written.catch(() => {});
      [waiting, bytes] = [[], 0];
    }
  } finally {
    // The file may be closed then, and its number be that of another one.
    await written;
  }
  return waiting;
};

/** Brings to the disk what a folder lists. */
export const sync = async (folder: string): Promise<void> => {
  const file = fs.openSync(folder, 'r');
  try {
    await bringToDisk(file);
  } finally {
    fs.closeSync(file);
  }
};
