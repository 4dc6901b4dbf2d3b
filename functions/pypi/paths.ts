import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { addressVersion, isFileName, splitCompanion } from './filenames.ts';
import { projectIn } from './names.ts';

/** The meaning of a path below `/pypi/{workspace}/{repository}/`. */
export type PypiPath =
  | { readonly kind: 'root'; readonly hasSlash: boolean }
  | { readonly kind: 'project'; readonly name: string; readonly hasSlash: boolean }
  /** Where a client looks for metadata in the form of PyPI. `path` is below their folder. */
  | { readonly kind: 'json'; readonly path: string }
  | { readonly kind: 'file'; readonly name: string; readonly version: string; readonly file: string }
  | { readonly kind: 'unknown' };

const unknown: PypiPath = { kind: 'unknown' };

/**
 * Where pip-tools looks for metadata: beside `simple`, and before 7.5, if the URL of the index ends with a slash, below it. Of a
 * project, or of one version.
 */
const lookedFor = /^(?:simple\/pypi\/|(?!(?:simple|files)\/))[^/]+(?:\/[^/]+)?\/json$/;

/** Parses the tail of a path exactly as the client sent it, still percent-encoded. */
export const parsePath = (rawTail: string): PypiPath => {
  const hasSlash = rawTail.endsWith('/');
  const segments = decodeSegments(hasSlash ? rawTail.slice(0, -1) : rawTail);
  const [first, spelled, ...rest] = segments ?? [];
  // hatch looks for what is published already below `+simple/`, where devpi has its pages.
  const folder = first === '+simple' ? 'simple' : first;
  if (segments && lookedFor.test(rawTail)) return { kind: 'json', path: rawTail.replace(/^simple\/pypi\//, '') };
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
