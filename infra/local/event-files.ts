import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';

const ownerOnly = { mode: 0o600 };

/** How many lines were appended, and why not all of them. */
interface Appended {
  readonly count: number;
  readonly failure?: Error;
}

/** Appends lines to a file, as many as there is room for. Of a line that has no room, nothing stays: the next one would continue it. */
export const appendLines = (file: string, lines: readonly string[]): Appended => {
  if (lines.length === 0) return { count: 0 };
  const descriptor = openSync(file, 'a', ownerOnly.mode);
  let [count, { size }] = [0, fstatSync(descriptor)];
  try {
    for (const line of lines) {
      writeFileSync(descriptor, `${line}\n`);
      size += Buffer.byteLength(line) + 1;
      count += 1;
    }
    return { count };
  } catch (failure) {
    ftruncateSync(descriptor, size);
    return { count, failure: failure as Error };
  } finally {
    closeSync(descriptor);
  }
};

/** Until when records were read, and the events of the last minutes with the times at which they were written. */
interface Position {
  readonly until?: number;
  readonly written?: Readonly<Record<string, number>>;
}

/** A machine that lost its power may leave a file without its bytes. Then the last event says where to go on. */
export const readPosition = (file: string): Position => {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Position | null) ?? {};
  } catch {
    return {};
  }
};

/** A process that is killed leaves the position before or the one after, and never a part of one. */
export const writePosition = (file: string, position: Position): void => {
  const next = `${file}.next`;
  writeFileSync(next, JSON.stringify(position), ownerOnly);
  renameSync(next, file);
};

/** An event at the end of the file, and when it was. */
type Written = readonly [id: string, time: number];

/** How much of the end of the file is read: the file may be larger than a text or the memory can be. */
const tailBytes = 16 * 1024 * 1024;

/** The events at the end of the file: a process that was killed has written them, and not their position. A line without its end goes. */
export const lastWritten = (file: string): readonly Written[] => {
  if (!existsSync(file)) return [];
  const { start, bytes } = tailOf(file);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) truncateSync(file, start + end);
  const lines = bytes.toString('utf8', 0, end).split('\n').slice(-10_000, -1);
  return lines.flatMap((line) => writtenIn(line));
};

const tailOf = (file: string): { readonly start: number; readonly bytes: Buffer } => {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const start = Math.max(0, size - tailBytes);
    const bytes = Buffer.alloc(size - start);
    readSync(descriptor, bytes, { position: start });
    return { start, bytes };
  } finally {
    closeSync(descriptor);
  }
};

/** The event in a line; none in a line that a machine without power has spoiled, or whose beginning was not read. */
const writtenIn = (line: string): readonly Written[] => {
  try {
    const { id, time } = JSON.parse(line) as { readonly id: string; readonly time: string };
    return [[id, Date.parse(time)]];
  } catch {
    return [];
  }
};
