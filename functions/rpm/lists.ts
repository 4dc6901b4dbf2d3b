import { type CompressedList, compressedList, inChunks } from '../../shared/packages/generations/compressed-lists.ts';
import type { ListedPackage } from './index-entries.ts';
import type { PackageTexts } from './package-xml.ts';
import { compareEvrs } from './versions.ts';

/** A list of all packages of a repository, compressed, and its name, which has its hash. */
export interface PackageList extends CompressedList {
  readonly type: keyof PackageTexts;
  readonly file: string;
}

const roots: Readonly<Record<keyof PackageTexts, readonly [name: string, namespaces: string]>> = {
  primary: ['metadata', 'xmlns="http://linux.duke.edu/metadata/common" xmlns:rpm="http://linux.duke.edu/metadata/rpm"'],
  filelists: ['filelists', 'xmlns="http://linux.duke.edu/metadata/filelists"'],
  other: ['otherdata', 'xmlns="http://linux.duke.edu/metadata/other"'],
};

/** The lists that a repository has. */
export const listTypes = Object.keys(roots) as readonly (keyof PackageTexts)[];

const inOrder = (one: ListedPackage, other: ListedPackage): number =>
  one.name === other.name ? compareEvrs(one, other) : one.name < other.name ? -1 : 1;

/** The packages of a repository in chunks. */
export const chunksOf = (packages: readonly ListedPackage[]): readonly (readonly ListedPackage[])[] =>
  inChunks(packages, inOrder);

/** Makes one list of packages in their chunks. */
export const listOf = async (
  type: keyof PackageTexts,
  chunks: readonly (readonly ListedPackage[])[],
): Promise<PackageList> => {
  const [name, namespaces] = roots[type];
  const count = chunks.reduce((sum, { length }) => sum + length, 0);
  const start = `<?xml version="1.0" encoding="UTF-8"?>\n<${name} ${namespaces} packages="${count}">\n`;
  const texts = chunks.map((chunk) => chunk.map((each) => each[type]).join(''));
  const list = await compressedList([start, ...texts, `</${name}>\n`]);
  return { type, file: `${list.sha256}-${type}.xml.gz`, ...list };
};
