import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** A range of the data of a shared file. */
export interface Extent {
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

/** How much of a file is read, or waits to be written, at once. */
export const bufferedBytes = 1024 * 1024;

/**
 * Files of which several objects have a part, as further names of where their data came from. They are never changed, so a copy needs
 * no bytes of its own. Each is there while somebody uses it.
 */
export class SharedFiles {
  readonly folder: string;
  private readonly users = new Map<string, number>();

  constructor(folder: string) {
    this.folder = folder;
    fs.mkdirSync(folder, { recursive: true });
  }

  /** At the start, removes the files that none of the extents uses. */
  removeUnused(usedExtents: Iterable<Extent>): void {
    const files = fs.readdirSync(this.folder);
    if (files.length > 0) this.use(usedExtents);
    for (const file of files) if (!this.users.has(file)) fs.rmSync(join(this.folder, file));
  }

  /** Whether all files of the extents are there. */
  has(extents: readonly Extent[] = []): boolean {
    return Array.from(new Set(extents.map(({ file }) => file))).every((file) => fs.existsSync(join(this.folder, file)));
  }

  /** Another name for what has a path. */
  add(path: string): string {
    const file = randomUUID();
    fs.linkSync(path, join(this.folder, file));
    return file;
  }

  use(extents: Iterable<Extent> = []): void {
    for (const { file } of extents) this.users.set(file, (this.users.get(file) ?? 0) + 1);
  }

  release(extents: Iterable<Extent> = []): void {
    for (const { file } of extents) {
      const users = (this.users.get(file) ?? 0) - 1;
      if (users > 0) this.users.set(file, users);
      else {
        this.users.delete(file);
        fs.rmSync(join(this.folder, file), { force: true });
      }
    }
  }

  /** The data of extents, which is there until the stream closes, whatever is removed meanwhile. */
  streamOf(extents: readonly Extent[]): Readable {
    const paths = extents.map(({ file, ...range }) => ({ path: join(this.folder, file), ...range }));
    const pieces = async function* (): AsyncGenerator<Buffer> {
      for (const { path, first: start, last: end } of paths)
        yield* fs.createReadStream(path, { start, end, highWaterMark: bufferedBytes });
    };
    // A file whose users nobody has counted is not this one's to remove.
    const counted = extents.filter(({ file }) => this.users.has(file));
    this.use(counted);
    const stream = Readable.from(pieces(), { objectMode: false, highWaterMark: bufferedBytes });
    return stream.once('close', () => this.release(counted));
  }
}

/** The extents of a range of what others make up. */
export const within = (extents: readonly Extent[], first: number, last: number): Extent[] => {
  const found: Extent[] = [];
  let offset = 0;
  for (const { file, first: start, last: end } of extents) {
    const [from, to] = [Math.max(start, start + first - offset), Math.min(end, start + last - offset)];
    if (from <= to) found.push({ file, first: from, last: to });
    offset += end - start + 1;
  }
  return found;
};
