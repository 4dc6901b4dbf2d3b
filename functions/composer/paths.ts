import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { isPackageName, packageNameOf } from './names.ts';

/** The meaning of a path below `/composer/{workspace}/{repository}/`. */
export type ComposerPath =
  | { readonly kind: 'root' | 'unknown' }
  | {
      readonly kind: 'versions';
      readonly name: string;
      /** Whether it is the document of the versions of development. */
      readonly isDevelopment: boolean;
    }
  | { readonly kind: 'file'; readonly name: string; readonly version: string; readonly file: string };

const unknown: ComposerPath = { kind: 'unknown' };

const developmentEnd = '~dev';

const versionsIn = (vendor: string, document: string): ComposerPath => {
  if (!document.endsWith('.json')) return unknown;
  const project = document.slice(0, -'.json'.length);
  const isDevelopment = project.endsWith(developmentEnd);
  const name = packageNameOf(`${vendor}/${isDevelopment ? project.slice(0, -developmentEnd.length) : project}`);
  return isPackageName(name) ? { kind: 'versions', name, isDevelopment } : unknown;
};

/** Parses the tail of a path exactly as the client sent it, still percent-encoded: a branch may have a slash in its name. */
export const parsePath = (rawTail: string): ComposerPath => {
  const [first, vendor = '', project = '', version = '', file, ...others] = decodeSegments(rawTail) ?? [];
  if (first === 'packages.json' && vendor === '') return { kind: 'root' };
  if (first === 'p2' && version === '') return versionsIn(vendor, project);
  const name = packageNameOf(`${vendor}/${project}`);
  const isFile = first === 'dist' && file !== undefined && !file.includes('/') && others.length === 0;
  return isFile && isPackageName(name) ? { kind: 'file', name, version, file } : unknown;
};

/** The path of a file of a version, below the address of its repository. */
export const filePath = (name: string, version: string, file: string): string =>
  `dist/${name}/${encodeURIComponent(version)}/${encodeURIComponent(file)}`;

/** The name of the file of a version that is published here. A version never changes, so neither does the address of its file. */
export const publishedFile = (name: string, version: string): string =>
  `${name.slice(name.indexOf('/') + 1)}-${version.replaceAll(/[^\w.+-]/g, '-')}.zip`;
