const blockBytes = 512;

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes)]);

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;

/** The header of a file in the form ustar, with its checksum. */
const headerOf = (name: string, size: number, type = '0'): Buffer => {
  const header = Buffer.alloc(blockBytes);
  header.write(name);
  header.write(`${octal(0o644, 7)}${octal(0, 7)}${octal(0, 7)}${octal(size, 11)}${octal(0, 11)}`, 100);
  header.write(`        ${type}`, 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
};

/** An extended header for the next entry, or for all that follow: so many bytes of pax records, such as `9 k123=\n`. */
export const paxHeader = (of: 'next' | 'all', bytesMin: number): Buffer => {
  const records: string[] = [];
  for (let bytes = 0; bytes < bytesMin; bytes += 15)
    records.push(`15 ${records.length.toString(36).padStart(10, 'k')}=\n`);
  const content = Buffer.from(records.join(''));
  return Buffer.concat([headerOf('pax', content.length, of === 'next' ? 'x' : 'g'), padded(content)]);
};

/** A tar archive of files that is not compressed: always the same bytes. */
export const tarOf = (files: Readonly<Record<string, string | Uint8Array>>): Buffer => {
  const entries = Object.entries(files).map(([name, content]) => {
    const bytes = Buffer.from(content as Uint8Array);
    return Buffer.concat([headerOf(name, bytes.length), padded(bytes)]);
  });
  return Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)]);
};
