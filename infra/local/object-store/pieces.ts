import type { FileHandle } from 'node:fs/promises';
import { bufferedBytes } from './shared-files.ts';

/**
 * Writes pieces, several at once, and behind them a line break and what `describe` says of them, as JSON: of a small object all
 * together. The next pieces are measured while the disk takes those before.
 */
export const writePieces = async <D>(
  file: FileHandle,
  pieces: AsyncIterable<Buffer>,
  describe: () => D,
): Promise<D> => {
  let written: Promise<void> = Promise.resolve();
  let waiting: Buffer[] = [];
  let bytes = 0;
  const write = async (): Promise<void> => {
    await written;
    written = file.writeFile(Buffer.concat(waiting));
    // Whoever waits for the write hears of its failure.
    written.catch(() => {});
    [waiting, bytes] = [[], 0];
  };
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes >= bufferedBytes) await write();
  }
  const description = describe();
  waiting.push(Buffer.from(`\n${JSON.stringify(description)}`));
  await write();
  await written;
  return description;
};
