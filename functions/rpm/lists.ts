import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { renderedOnce } from '../../shared/packages/generations/hashed-documents.ts';
import type { ListedPackage } from './index-entries.ts';
import type { PackageTexts } from './package-xml.ts';
import { compareEvrs } from './versions.ts';

/** A list of all packages of a repository, compressed, and its name, which has its hash. */
export interface PackageList {
  readonly type: keyof PackageTexts;
  readonly file: string;
  readonly bytes: Buffer;
  readonly sha256: string;
  /** The hash and the size of the list before compression. */
  readonly openSha256: string;
  readonly openSize: number;
}

const roots: Readonly<Record<keyof PackageTexts, readonly [name: string, namespaces: string]>> = {
  primary: ['metadata', 'xmlns="http://linux.duke.edu/metadata/common" xmlns:rpm="http://linux.duke.edu/metadata/rpm"'],
  filelists: ['filelists', 'xmlns="http://linux.duke.edu/metadata/filelists"'],
  other: ['otherdata', 'xmlns="http://linux.duke.edu/metadata/other"'],
};

/** The lists that a repository has. */
export const listTypes = Object.keys(roots) as readonly (keyof PackageTexts)[];

/** About how many packages are compressed together. */
const chunkPackages = 256;

const inOrder = (one: ListedPackage, other: ListedPackage): number =>
  one.name === other.name ? compareEvrs(one, other) : one.name < other.name ? -1 : 1;

/**
 * Packages in chunks: the hash of a package says in which of them it is, so that a publication changes one chunk alone, and the others are
 * not compressed again.
 */
export const chunksOf = (packages: readonly ListedPackage[]): readonly (readonly ListedPackage[])[] => {
  const count = 2 ** Math.ceil(Math.log2(Math.max(1, packages.length / chunkPackages)));
  const byHash = Map.groupBy(packages, ({ sha256 }) => Number.parseInt(sha256.slice(0, 8), 16) % count);
  return Array.from(byHash)
    .toSorted(([one], [other]) => one - other)
    .map(([, chunk]) => chunk.toSorted(inOrder));
};

const sha256Of = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A member of a gzip file: a file of several members is read as one. */
const memberOf = async (text: string): Promise<Buffer> =>
  renderedOnce(`gzip ${sha256Of(text)}`, async () => promisify(gzip)(text));

/** Makes one list of packages in their chunks. */
export const listOf = async (
  type: keyof PackageTexts,
  chunks: readonly (readonly ListedPackage[])[],
): Promise<PackageList> => {
  const [name, namespaces] = roots[type];
  const count = chunks.reduce((sum, { length }) => sum + length, 0);
  const start = `<?xml version="1.0" encoding="UTF-8"?>\n<${name} ${namespaces} packages="${count}">\n`;
  const texts = [start, ...chunks.map((chunk) => chunk.map((each) => each[type]).join('')), `</${name}>\n`];
  const members: Buffer[] = [];
  const open = createHash('sha256');
  let openSize = 0;
  for (const text of texts) {
    open.update(text);
    openSize += Buffer.byteLength(text);
    members.push(await memberOf(text));
  }
  const bytes = Buffer.concat(members);
  const sha256 = sha256Of(bytes);
  return { type, file: `${sha256}-${type}.xml.gz`, bytes, sha256, openSha256: open.digest('hex'), openSize };
};
