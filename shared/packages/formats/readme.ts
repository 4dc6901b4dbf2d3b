import { Readable } from 'node:stream';
import type { ReadmeType } from './readme-types.ts';
import { readGzippedTar } from './tar-archive.ts';
import type { ZippedFile } from './zip-archive.ts';

/** The text with which a version presents itself to people. */
export interface Readme {
  readonly mediaType: ReadmeType;
  readonly text: string;
}

/** Reads it from a file; undefined if the file has none, or is too large to look into. Throws the problem of a damaged archive. */
export type ReadmeReader = (file: ZippedFile) => Promise<Readme | undefined>;

/** Where the versions of a package type have it: in which of their files, by its name. The first rule that fits a file counts. */
export type ReadmeSource = readonly { readonly file: RegExp; readonly read: ReadmeReader }[];

export const readmeBytesMax = 1024 * 1024;

/** Archives beyond it are not looked into: only a zip archive can be read in part. */
export const readmeArchiveBytesMax = 32 * 1024 * 1024;

/** The beginning of a text up to the maximum, without half a character at its end. */
export const readmeText = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, readmeBytesMax), { stream: bytes.length > readmeBytesMax });

/** The names of a README at the top of an archive, the best first. */
export const readmeNames: readonly (readonly [RegExp, ReadmeType])[] = [
  [/^readme\.(?:md|markdown|mkd)$/i, 'text/markdown; charset=utf-8'],
  [/^readme\.rst$/i, 'text/x-rst; charset=utf-8'],
  [/^readme(?:\.txt|\.rdoc)?$/i, 'text/plain; charset=utf-8'],
];

/** Reads the README in a gzipped tar archive. `nameIn` says the name of a file, by the parts of its path, that may be one. */
export const readmeInPaths = async (
  archive: Uint8Array,
  word: string,
  nameIn: (path: readonly string[]) => string | undefined,
): Promise<Readme | undefined> => {
  const found = readmeNames.map((): Buffer[] | undefined => undefined);
  const visit = ({ name: path, type }: { readonly name: string; readonly type?: string | null | undefined }) => {
    const name = nameIn(path.replace(/^\.\//, '').split('/'));
    const rank = readmeNames.findIndex(([pattern]) => name !== undefined && pattern.test(name));
    if (type !== 'file' || rank < 0 || found[rank]) return undefined;
    const kept: Buffer[] = [];
    found[rank] = kept;
    return kept;
  };
  // A byte more than the maximum says that the text goes on.
  await readGzippedTar(Readable.from([archive]), { word, visit, keptBytesMax: readmeBytesMax + 1 });
  const rank = found.findIndex((kept) => kept !== undefined);
  const mediaType = readmeNames[rank]?.[1];
  return mediaType && { mediaType, text: readmeText(Buffer.concat(found[rank] ?? [])) };
};

/** Reads the README in the one folder that holds everything in a gzipped tar archive. `word` is that for the archive. */
export const readmeInTar =
  (word: string): ReadmeReader =>
  async (file) => {
    if (file.size > readmeArchiveBytesMax) return undefined;
    const bytes = await file.read([0, Math.max(0, file.size - 1)]);
    return readmeInPaths(bytes, word, ([, name, ...deeper]) => (deeper.length > 0 ? undefined : name));
  };
