import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { ReadableFile } from './archive-members.ts';
import { readControlText } from './control-archive.ts';
import { type DebianBuild, isBuild } from './names.ts';
import { type Field, fieldOf, readParagraph } from './paragraphs.ts';

/** What the file `control` of a package says. */
export interface DebianMetadata extends DebianBuild {
  readonly fields: readonly Field[];
}

/** Reads the metadata of a package from its text. Throws a FormatProblem. */
export const metadataOf = (control: string): DebianMetadata => {
  const fields = readParagraph(control);
  const [name = '', version = '', architecture = ''] = ['Package', 'Version', 'Architecture'].map((field) =>
    fieldOf(fields, field),
  );
  const build = { name, version, architecture };
  if (isBuild(build)) return { ...build, fields };
  throw malformed(
    'The file control of the package must have Package, of small letters, digits and + - . alone and at least two of them; Version, such as 1:2.0-1, which begins with a digit; and one Architecture; each with at most 150 characters: build the package anew.',
  );
};

/** Reads the metadata of a package file, and nothing of its payload. Throws a FormatProblem. */
export const readMetadata = async (file: ReadableFile): Promise<DebianMetadata> =>
  metadataOf(await readControlText(file));
