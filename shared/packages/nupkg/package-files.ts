import type { FileAddress } from '../sources/resolution.ts';
import { nameOfId } from './ids.ts';
import { normalVersion } from './versions.ts';

/** The kinds of files of a version. */
export type FileEnding = 'nupkg' | 'snupkg';

/** The address of a file of a version, by the ID and the version in any spelling. */
export const packageFile = (id: string, version: string, ending: FileEnding = 'nupkg'): FileAddress => {
  const [name, normal] = [nameOfId(id), normalVersion(version) ?? version.toLowerCase()];
  return { name, version: normal, file: `${name}.${normal}.${ending}` };
};

/** The address of the nuspec of a version, which is stored beside its package: clients can read it alone. */
export const nuspecFile = (id: string, version: string): FileAddress => {
  const address = packageFile(id, version);
  return { ...address, file: `${address.name}.nuspec` };
};

/** A nuspec is XML, which a browser saves and does not show. */
export const nuspecMediaType = 'application/xml';
