import { malformed } from '../../shared/packages/formats/format-problem.ts';

/** Returns a document of the compact index. Throws a FormatProblem if it has no line `---`, or its last line no end. */
export const requireIndex = (document: Buffer, name: string): Buffer => {
  if (document.at(-1) !== 0x0a) throw malformed(`${name} of the upstream was cut.`);
  if (!document.subarray(0, 4).equals(Buffer.from('---\n')) && !document.includes('\n---\n'))
    throw malformed(`${name} of the upstream has no line with ---.`);
  return document;
};

/** The lines of such a document behind the line `---`. Throws as `requireIndex`. */
export const linesOf = ({ buffer, byteOffset, length }: Uint8Array, name: string): readonly string[] => {
  const lines = requireIndex(Buffer.from(buffer, byteOffset, length), name)
    .toString()
    .split('\n');
  return lines.slice(lines.indexOf('---') + 1).filter((line) => line !== '');
};
