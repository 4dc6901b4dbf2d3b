import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isFull } from '../disk-space.ts';
import { type Algorithm, Content } from './checksums.ts';
import { bringToDisk, sync, writePieces } from './disk.ts';
import { bufferedBytes, type Extent, SharedFiles, within } from './shared-files.ts';

/** What is kept with the data of an object, of a part, or of an upload, which has no data. */
export interface Description {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modified: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of an upload, what its parts must come with. */
  readonly checksum?: { readonly algorithm: Algorithm; readonly type: string; readonly value: string } | undefined;
  /** Where the data is, if it does not stand before the description. */
  readonly extents?: readonly Extent[];
}

/** The bytes from the first to the last of what has a path. */
export interface Range {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

/** Opens a stream of the bytes from the first to the last. */
export type Open = (first: number, last: number) => Readable;

/** How old what expires must be, in milliseconds. */
export interface Ages {
  readonly staging: number;
  readonly uploads: number;
}

const tailBytes = 64 * 1024;

/**
 * A file holds the data, a line break, and the description as JSON, so that one rename swaps both at once. Data flows
 * asynchronously; to look at a description and to rename is synchronous, so nothing comes between a condition and the
 * write that it allows, and no lock is needed. What is written is on the disk before anybody hears of it.
 */
export class Files {
  private readonly root: string;
  private readonly incoming: string;
  private readonly shared: SharedFiles;
  private readonly reserveBytes: number;

  /** Of the disk, the reserve stays free. */
  constructor(root: string, reserveBytes: number) {
    this.root = root;
    this.reserveBytes = reserveBytes;
    this.incoming = join(root, '.incoming');
    fs.rmSync(this.incoming, { recursive: true, force: true });
    fs.mkdirSync(this.incoming);
    this.shared = new SharedFiles(join(root, '.shared'));
    this.shared.removeUnused(this.extents());
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

  /** Whether there is room for so many bytes. */
  hasRoom(bytes: number): boolean {
    return !isFull(this.root, this.reserveBytes, bytes);
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
    const file = fs.openSync(temporary, 'wx');
    try {
      const rest = await writePieces(file, content);
      const description = describe();
      fs.writeFileSync(file, Buffer.concat([...rest, Buffer.from(`\n${JSON.stringify(description)}`)]));
      await bringToDisk(file);
      commit(() => {
        const replaced = this.describe(path);
        fs.renameSync(temporary, path);
        this.shared.use(description.extents);
        this.shared.release(replaced?.extents);
      });
      await sync(dirname(path));
      return description;
    } finally {
      fs.closeSync(file);
      fs.rmSync(temporary, { force: true });
    }
  }

  /** Stores ranges of what is stored, one after the other, without a copy of their bytes. `describe` may read them. */
  async compose(
    path: string,
    ranges: readonly Range[],
    describe: (open: () => Readable) => Promise<Description>,
    commit?: (swap: () => void) => void,
  ): Promise<Description> {
    const extents = ranges.flatMap((range) => this.share(range));
    this.shared.use(extents);
    try {
      await sync(this.shared.folder);
      const description = { ...(await describe(() => this.shared.streamOf(extents))), extents };
      return await this.write(path, new Content([], []), () => description, commit);
    } finally {
      this.shared.release(extents);
    }
  }

  /**
   * What `use` makes of a file, which stays open for the stream that it may open; undefined when there is none, or when data of it is
   * lost: then whoever stores it again heals it.
   */
  read<T>(path: string, use: (description: Description, open: Open) => T): T | undefined {
    if (!fs.existsSync(path)) return undefined;
    const fd = fs.openSync(path, 'r');
    let isStreamed = false;
    try {
      const description = descriptionIn(fd);
      const { extents } = description;
      if (!this.shared.has(extents)) return undefined;
      return use(description, (first, last) => {
        if (last < first) return Readable.from([]);
        if (extents) return this.shared.streamOf(within(extents, first, last));
        isStreamed = true;
        return fs.createReadStream('', { fd, start: first, end: last, highWaterMark: bufferedBytes });
      });
    } finally {
      if (!isStreamed) fs.closeSync(fd);
    }
  }

  describe(path: string): Description | undefined {
    return this.read(path, (description) => description);
  }

  /** The descriptions of all files in a folder, which may be gone. */
  describeAll(folder: string): Description[] {
    if (!fs.existsSync(folder)) return [];
    return fs.readdirSync(folder).flatMap((name) => this.describe(join(folder, name)) ?? []);
  }

  async remove(path: string): Promise<void> {
    this.discard(path);
    await sync(dirname(path));
  }

  /** Removes a file, or an upload with its parts, but does not wait for the disk. */
  discard(path: string): void {
    const isUpload = fs.existsSync(join(path, 'parts'));
    const gone = isUpload ? this.describeAll(join(path, 'parts')) : [this.describe(path)];
    fs.rmSync(path, { recursive: true, force: true });
    for (const description of gone) this.shared.release(description?.extents);
  }

  /** The lifecycle, on demand: removes what is old under `staging/`, and uploads that were begun long ago. */
  async expire({ staging, uploads }: Ages): Promise<void> {
    const now = Date.now();
    const isStale = (path: string): boolean => {
      const { key, modified } = this.describe(path) ?? { key: '', modified: now };
      return key.startsWith('staging/') && modified < now - staging;
    };
    for (const bucket of this.buckets()) {
      await this.discardOld(this.pathsIn(bucket, 'objects'), isStale);
      await this.discardOld(this.pathsIn(bucket, 'uploads'), (path) => fs.statSync(path).mtimeMs < now - uploads);
    }
  }

  /** Calls are answered between two paths. */
  private async discardOld(paths: readonly string[], isOld: (path: string) => boolean): Promise<void> {
    for (const path of paths) {
      await nextTurn();
      try {
        if (isOld(path)) this.discard(path);
      } catch {
        // It is gone by now, or it is damaged: the others do not wait for it.
      }
    }
  }

  private buckets(): string[] {
    return fs.readdirSync(this.root).filter((name) => this.hasBucket(name));
  }

  private pathsIn(bucket: string, kind: 'objects' | 'uploads'): string[] {
    const folder = this.folderOf(bucket, kind);
    return fs.readdirSync(folder).map((name) => join(folder, name));
  }

  /** The extents of all objects and parts. */
  private *extents(): Generator<Extent> {
    for (const bucket of this.buckets()) {
      const folders = this.pathsIn(bucket, 'uploads').map((upload) => join(upload, 'parts'));
      for (const folder of [this.folderOf(bucket, 'objects'), ...folders])
        for (const { extents = [] } of this.describeAll(folder)) yield* extents;
    }
  }

  /** Where a range is, in files that stay until they are released. */
  private share({ path, first, last }: Range): readonly Extent[] {
    if (last < first) return [];
    const { extents } = this.describe(path) ?? {};
    return extents ? within(extents, first, last) : [{ file: this.shared.add(path), first, last }];
  }
}

/** The description at the end of a file. */
const descriptionIn = (fd: number): Description => {
  const { size } = fs.fstatSync(fd);
  for (let bytes = tailBytes; ; bytes *= 8) {
    const tail = Buffer.alloc(Math.min(size, bytes));
    fs.readSync(fd, tail, { position: size - tail.length });
    const start = tail.lastIndexOf('\n');
    if (start >= 0 || bytes >= size) return JSON.parse(tail.toString('utf8', start)) as Description;
  }
};
