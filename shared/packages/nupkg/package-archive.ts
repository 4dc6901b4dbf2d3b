import type { ReceivedFile } from '../../store/received-file.ts';
import { malformed } from '../formats/format-problem.ts';
import { readZip } from '../formats/zip-archive.ts';
import { nuspecBytesMax, type PackageMetadata, readNuspec } from './nuspec.ts';

/** A package, and what it says of itself. */
export interface ReadPackage {
  readonly metadata: PackageMetadata;
  /** Its nuspec, which is the one at the root of the archive. */
  readonly nuspec: Buffer;
}

/** Reads a package to what it says of itself. Throws the problem of one that clients could not install. */
export const readPackage = async (file: Pick<ReceivedFile, 'size' | 'read'>): Promise<ReadPackage> => {
  const isNuspec = (path: string): boolean => /^[^/\\]+\.nuspec$/i.test(path);
  const found = await readZip(file, { word: 'package', wants: isNuspec, bytesMax: nuspecBytesMax });
  const [nuspec, ...others] = found.values();
  if (!nuspec || others.length > 0)
    throw malformed('The package must contain one nuspec at its root: make it with dotnet pack or choco pack.');
  return { metadata: readNuspec(nuspec), nuspec };
};
