import { crc32, deflateRawSync } from 'node:zlib';

/** A file in a zip. What it says of itself may be false. */
export interface ZipEntry {
  readonly path: string | Uint8Array;
  readonly content?: string | Uint8Array;
  /** The size that the directory of the zip says. */
  readonly saidSize?: number;
  readonly method?: number;
  readonly flags?: number;
}

const fields = (...values: readonly [value: number, bytes: 2 | 4][]): Buffer => {
  const bytes = Buffer.alloc(values.reduce((sum, [, size]) => sum + size, 0));
  let offset = 0;
  for (const [value, size] of values) offset = bytes.writeUIntLE(value, offset, size);
  return bytes;
};

/** Makes a zip (APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16), of what no library would write, too. */
export const zipOf = (entries: readonly ZipEntry[], comment = ''): Buffer => {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content = '', saidSize, method = 8, flags = 0x800 } of entries) {
    const name = Buffer.from(path);
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const shared = fields(
      [flags, 2],
      [method, 2],
      [0, 4],
      [crc32(bytes), 4],
      [packed.length, 4],
      [saidSize ?? bytes.length, 4],
      [name.length, 2],
      [0, 2],
    );
    const file = Buffer.concat([fields([0x04034b50, 4], [20, 2]), shared, name, packed]);
    const rest = fields([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]);
    directory.push(Buffer.concat([fields([0x02014b50, 4], [20, 2], [20, 2]), shared, rest, name]));
    files.push(file);
    offset += file.length;
  }
  const listed = Buffer.concat(directory);
  const end = fields(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [entries.length, 2],
    [entries.length, 2],
    [listed.length, 4],
    [offset, 4],
    [comment.length, 2],
  );
  return Buffer.concat([...files, listed, end, Buffer.from(comment)]);
};
