import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from './start-error.ts';

const keyBytes = 32;

/** The key in a file, which the first start writes. `hasTable` says whether the table exists already. */
export const keyFrom = async (file: string, hasTable: () => Promise<boolean>): Promise<Buffer> => {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  // The starts of earlier releases could be killed before they wrote their key. They had no table yet, so nothing is encrypted. An empty
  // file beside a table was a key once, and only a copy of that key opens the passwords in the table.
  if (size === 0 && !(await hasTable())) rmSync(file, { force: true });
  if (!size) writeKeyOnce(file, randomBytes(keyBytes).toString('base64'));
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64');
  if (key.length !== keyBytes) {
    throw new StartError(
      `${file} does not contain a key of 32 bytes in base64: restore the file, because nothing else can decrypt the stored passwords.`,
    );
  }
  return key;
};

/** Writes a key, unless there is one, under another name first: a start that ends at any moment leaves no key or a whole one. */
export const writeKeyOnce = (file: string, key: string): void => {
  const temporary = `${file}.${randomUUID()}`;
  try {
    writeFileSync(temporary, key, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(temporary, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another start, or an empty file that stays.
    if (code !== 'EEXIST')
      throw new StartError(
        `${file} cannot be written (${code}): make room in its folder, or set DATA_DIR to another one.`,
      );
  } finally {
    rmSync(temporary, { force: true });
  }
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
};
