import type { Field } from './paragraphs.ts';

/** The file of a package, as a list of packages names it. */
export interface ListedFile {
  /** Its path from the root of the repository. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** Fields that only a list of packages has: the file itself cannot know them. */
const ofLists: ReadonlySet<string> = new Set(['filename', 'size', 'md5sum', 'sha1', 'sha256', 'sha512']);

/** The paragraph of a package in a list of packages, with the end of its last line: its own fields, as they stand, and those of its file. */
export const stanzaOf = (fields: readonly Field[], { path, size, sha256 }: ListedFile): string => {
  const own = fields.filter(({ name }) => !ofLists.has(name.toLowerCase())).map(({ lines }) => lines);
  return [...own, `Filename: ${path}`, `Size: ${size}`, `SHA256: ${sha256}`, ''].join('\n');
};
