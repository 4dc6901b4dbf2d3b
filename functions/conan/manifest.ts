import { malformed } from '../../shared/packages/formats/format-problem.ts';

/** The files of a recipe beside its conanfile.py that its manifest lists, by the archive that they are in. */
export interface Needs {
  readonly export: boolean;
  readonly sources: boolean;
}

const sourceFolder = 'export_source/';

/**
 * Reads of a conanmanifest.txt which archives its revision has. Its first line is a time in seconds, and each other one a file and its MD5.
 * Throws a FormatProblem if it is none.
 */
export const needsIn = (text: string): Needs => {
  const [time = '', ...lines] = text.split('\n');
  const listed = lines.filter((line) => line !== '');
  if (!/^\d{1,15}$/.test(time) || listed.some((line) => !/: [0-9a-f]{32}$/.test(line)))
    throw malformed(
      'The conanmanifest.txt must have a time in its first line, and a file and its MD5 in each other one.',
    );
  const files = listed.map((line) => line.slice(0, line.lastIndexOf(': ')));
  const sources = files.filter((file) => file.startsWith(sourceFolder));
  const others = files.filter((file) => !file.startsWith(sourceFolder) && file !== 'conanfile.py');
  return { export: others.length > 0, sources: sources.length > 0 };
};
