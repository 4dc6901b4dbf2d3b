/** A package of the tests. */
export interface TestRpm {
  readonly name: string;
  readonly version: string;
  readonly release?: string;
  readonly epoch?: number;
  readonly arch?: string;
  /** The content of its payload, which nobody reads. */
  readonly content?: string;
  /** The names of what it requires, without versions. */
  readonly requires?: readonly string[];
  readonly files?: readonly string[];
  /** Further tags of its header, which replace others. */
  readonly tags?: readonly Tag[];
}

/** A tag, the number of its type, and its values. */
export type Tag = readonly [tag: number, type: number, values: readonly (string | number)[]];

const [int16, int32, text, texts, localText] = [3, 4, 6, 8, 9];
const sizes: Readonly<Record<number, number>> = { [int16]: 2, [int32]: 4 };

const valueBytes = (type: number, values: Tag[2]): Buffer => {
  const size = sizes[type];
  if (size === undefined) return Buffer.from(values.map((value) => `${value}\0`).join(''));
  const bytes = Buffer.alloc(size * values.length);
  for (const [at, value] of values.entries()) bytes.writeUIntBE(Number(value), at * size, size);
  return bytes;
};

/** A header of rpm, with its index in the order of its tags. */
export const headerOf = (tags: readonly Tag[]): Buffer => {
  const byTag = new Map(tags.filter(([, , values]) => values.length > 0).map((tag) => [tag[0], tag]));
  const index: Buffer[] = [];
  let data = Buffer.alloc(0);
  for (const [tag, type, values] of Array.from(byTag.values()).toSorted(([one], [other]) => one - other)) {
    const size = sizes[type] ?? 1;
    data = Buffer.concat([data, Buffer.alloc((size - (data.length % size)) % size)]);
    const entry = Buffer.alloc(16);
    for (const [at, value] of [tag, type, data.length, values.length].entries()) entry.writeUInt32BE(value, at * 4);
    index.push(entry);
    data = Buffer.concat([data, valueBytes(type, values)]);
  }
  const intro = Buffer.alloc(16);
  intro.write('8eade80100000000', 'hex');
  intro.writeUInt32BE(byTag.size, 8);
  intro.writeUInt32BE(data.length, 12);
  return Buffer.concat([intro, ...index, data]);
};

const fileTags = (files: readonly string[]): readonly Tag[] => {
  const directories = [...new Set(files.map((file) => file.slice(0, file.lastIndexOf('/') + 1)))];
  return [
    [1030, int16, files.map(() => 0o100644)],
    [1037, int32, files.map(() => 0)],
    [1116, int32, files.map((file) => directories.indexOf(file.slice(0, file.lastIndexOf('/') + 1)))],
    [1117, texts, files.map((file) => file.slice(file.lastIndexOf('/') + 1))],
    [1118, texts, directories],
  ];
};

/** The tags of the header of a package. */
export const tagsOf = (each: TestRpm): readonly Tag[] => {
  const { name, version, release = '1', epoch, arch = 'noarch', requires = [], files = [], tags = [] } = each;
  return [
    [1000, text, [name]],
    [1001, text, [version]],
    [1002, text, [release]],
    [1003, int32, epoch === undefined ? [] : [epoch]],
    [1004, localText, ['A package of a test']],
    [1005, localText, ['What it is for.']],
    [1006, int32, [1_767_225_600]],
    [1009, int32, [1000]],
    [1014, text, ['MIT']],
    [1022, text, [arch]],
    [1044, text, [`${name}-${version}-${release}.src.rpm`]],
    [1047, texts, [name]],
    [1112, int32, [8]],
    [1113, texts, [`${epoch === undefined ? '' : `${epoch}:`}${version}-${release}`]],
    [1048, int32, requires.map(() => 0)],
    [1049, texts, requires],
    [1050, texts, requires.map(() => '')],
    ...fileTags(files),
    ...tags,
  ];
};

const leadOf = (name: string): Buffer => {
  const lead = Buffer.alloc(96);
  lead.write('edabeedb03000000', 'hex');
  lead.write(name.slice(0, 60), 10);
  lead.writeUInt16BE(5, 78);
  return lead;
};

/** The file of a package: always the same bytes. */
export const rpmOf = (each: TestRpm, header = headerOf(tagsOf(each))): Buffer => {
  const payload = Buffer.from(`CONTENT = '${each.content ?? ''}'\n`);
  const signature = headerOf([[1000, int32, [header.length + payload.length]]]);
  const padding = Buffer.alloc((8 - (signature.length % 8)) % 8);
  return Buffer.concat([leadOf(each.name), signature, padding, header, payload]);
};

/** The content in the bytes of a package, read as text. */
export const contentIn = (bytes: string): string | undefined => /CONTENT = '(.*?)'\n/s.exec(bytes)?.[1];

/** The path of a package in a group. */
export const rpmPath = ({ name, version, release = '1', arch = 'noarch' }: TestRpm, group = ''): string =>
  `${group === '' ? '' : `${group}/`}Packages/${name}-${version}-${release}.${arch}.rpm`;
