import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Algorithm, Content } from './checksums.ts';

/** What is kept with the data of an object, of a part, or of an upload, which has no data. */
export interface Description {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modified: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of an upload, what its parts must come with. */
  readonly checksum?: { readonly algorithm: Algorithm; readonly type: string; readonly value: string } | undefined;
}

/** Opens a stream of the bytes from the first to the last. */
export type Open = (first: number, last: number) => Readable;

/** How old what expires must be, in milliseconds. */
export interface Ages {
  readonly staging: number;
  readonly uploads: number;
}

const tailBytes = 64 * 1024;

/** How much of a file is read or waits to be written at once. */
const bufferedBytes = 1024 * 1024;

/**
 * A file holds the data, a line break, and the description as JSON, so that one rename swaps both at once. Data flows
 * asynchronously; to look at a description and to rename is synchronous, so nothing comes between a condition and the
 * write that it allows, and no lock is needed. What is written is on the disk before anybody hears of it.
 */
export class Files {
  private readonly root: string;
  private readonly incoming: string;

  constructor(root: string) {
    this.root = root;
    this.incoming = join(root, '.incoming');
    fs.rmSync(this.incoming, { recursive: true, force: true });
    fs.mkdirSync(this.incoming);
  }

  folderOf(bucket: string, kind: 'objects' | 'uploads'): string {
    return join(this.root, bucket, kind);
  }

  /** A hash in place of the key: no key leads anywhere else. */
  pathOf({ bucket, key }: { readonly bucket: string; readonly key: string }): string {
    return join(this.folderOf(bucket, 'objects'), createHash('sha256').update(key).digest('hex'));
  }

  hasBucket(name: string): boolean {
    return fs.existsSync(this.folderOf(name, 'uploads'));
  }

  async createBucket(name: string): Promise<void> {
    for (const kind of ['objects', 'uploads'] as const) fs.mkdirSync(this.folderOf(name, kind), { recursive: true });
    await sync(join(this.root, name));
    await sync(this.root);
  }

  /** Stores content; at the last moment `commit` swaps it in, or refuses. */
  async write(
    path: string,
    content: Content,
    describe: () => Description,
    commit: (swap: () => void) => void = (swap) => swap(),
  ): Promise<Description> {
    const temporary = join(this.incoming, randomUUID());
    const file = await open(temporary, 'wx');
    try {
      await writePieces(file, content);
      const description = describe();
      await file.writeFile(`\n${JSON.stringify(description)}`);
      await file.sync();
      commit(() => fs.renameSync(temporary, path));
      await sync(dirname(path));
      return description;
    } finally {
      await file.close();
      fs.rmSync(temporary, { force: true });
    }
  }

  /** What `use` makes of a file, which stays open for the stream that it may open; undefined when there is none. */
  read<T>(path: string, use: (description: Description, open: Open) => T): T | undefined {
    if (!fs.existsSync(path)) return undefined;
    const fd = fs.openSync(path, 'r');
    let isStreamed = false;
    const stream = (first: number, last: number): Readable => {
      if (last < first) return Readable.from([]);
      isStreamed = true;
      return fs.createReadStream('', { fd, start: first, end: last, highWaterMark: bufferedBytes });
    };
    try {
      const { size } = fs.fstatSync(fd);
      const tail = Buffer.alloc(Math.min(size, tailBytes));
      fs.readSync(fd, tail, { position: size - tail.length });
      return use(JSON.parse(tail.toString('utf8', tail.lastIndexOf('\n'))) as Description, stream);
    } finally {
      if (!isStreamed) fs.closeSync(fd);
    }
  }

  describe(path: string): Description | undefined {
    return this.read(path, (description) => description);
  }

  /** The descriptions of all files in a folder. */
  describeAll(folder: string): Description[] {
    return fs.readdirSync(folder).flatMap((name) => this.describe(join(folder, name)) ?? []);
  }

  async remove(path: string): Promise<void> {
    fs.rmSync(path, { recursive: true, force: true });
    await sync(dirname(path));
  }

  /** The lifecycle, on demand: removes what is old under `staging/`, and uploads that were begun long ago. */
  expire({ staging, uploads }: Ages): void {
    const now = Date.now();
    for (const bucket of fs.readdirSync(this.root).filter((name) => this.hasBucket(name))) {
      const objects = this.describeAll(this.folderOf(bucket, 'objects'));
      const stale = objects.filter(({ key, modified }) => key.startsWith('staging/') && modified < now - staging);
      for (const { key } of stale) fs.rmSync(this.pathOf({ bucket, key }));
      const folder = this.folderOf(bucket, 'uploads');
      for (const path of fs.readdirSync(folder).map((id) => join(folder, id))) {
        if (fs.statSync(path).mtimeMs < now - uploads) fs.rmSync(path, { recursive: true });
      }
    }
  }
}

/** Writes pieces, several at once. The next ones are measured while the disk takes those before. */
const writePieces = async (file: FileHandle, pieces: AsyncIterable<Buffer>): Promise<void> => {
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
  await write();
  await written;
};

/** Brings to the disk what a folder lists. */
export const sync = async (folder: string): Promise<void> => {
  const file = await open(folder);
  await file.sync();
  await file.close();
};
