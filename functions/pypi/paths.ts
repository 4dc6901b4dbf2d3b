import { decodeSegments } from '../../shared/packages/package-address.ts';
import { addressVersion, isFileName, splitCompanion } from './filenames.ts';
import { projectIn } from './names.ts';

/** The meaning of a path below `/pypi/{workspace}/{repository}/`. */
export type PypiPath =
  | { readonly kind: 'root'; readonly hasSlash: boolean }
  | { readonly kind: 'project'; readonly name: string; readonly hasSlash: boolean }
  | { readonly kind: 'file'; readonly name: string; readonly version: string; readonly file: string }
  | { readonly kind: 'unknown' };

const unknown: PypiPath = { kind: 'unknown' };

/** Parses the tail of a path exactly as the client sent it, still percent-encoded. */
export const parsePath = (rawTail: string): PypiPath => {
  const hasSlash = rawTail.endsWith('/');
  const segments = decodeSegments(hasSlash ? rawTail.slice(0, -1) : rawTail);
  const [folder, spelled, ...rest] = segments ?? [];
  if (folder === 'simple' && spelled === undefined) return { kind: 'root', hasSlash };
  const name = spelled === undefined ? undefined : projectIn(spelled);
  if (name === undefined) return unknown;
  if (folder === 'simple' && rest.length === 0) return { kind: 'project', name, hasSlash };
  return folder === 'files' && !hasSlash ? filePath(name, rest) : unknown;
};

/** A file has one address only: the version is that of its name. */
const filePath = (name: string, [version, file = '', ...more]: readonly string[]): PypiPath => {
  const isAddress =
    more.length === 0 && isFileName(splitCompanion(file).main) && version === addressVersion(file, name);
  return isAddress && version !== undefined ? { kind: 'file', name, version, file } : unknown;
};

/** The path of a file below the address of the repository. */
export const filePathOf = (project: string, file: string): string =>
  ['files', project, addressVersion(file, project), file].map(encodeURIComponent).join('/');
