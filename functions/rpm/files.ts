import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { rowsOf } from './dependencies.ts';
import type { Header } from './header.ts';
import { tags } from './tags.ts';

/** A file of a package. */
export interface PackagedFile {
  readonly path: string;
  /** A ghost belongs to the package, but is not in it. */
  readonly type: 'file' | 'dir' | 'ghost';
}

const ghostBit = 1 << 6;
const [typeBits, directoryType] = [0o170000, 0o040000];

const typeOf = (mode: number, flags: number): PackagedFile['type'] => {
  if ((mode & typeBits) === directoryType) return 'dir';
  return (flags & ghostBit) === 0 ? 'file' : 'ghost';
};

/** The files of a package, in the order of its header. */
export const filesOf = (header: Header): readonly PackagedFile[] => {
  const directories = header.texts(tags.directoryNames);
  const rows = rowsOf('files', [
    header.texts(tags.baseNames),
    header.numbers(tags.directoryIndexes),
    header.numbers(tags.fileModes),
    header.numbers(tags.fileFlags),
  ] as const);
  return rows.map(([name, index, mode, flags]) => {
    const directory = directories[index];
    if (directory === undefined)
      throw malformed(`The header of the package names no directory for its file ${name}: build the package anew.`);
    return { path: directory + name, type: typeOf(mode, flags) };
  });
};
