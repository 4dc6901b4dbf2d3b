import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { addressOf, gemFile, gemspecFile, readFullName } from './full-names.ts';
import { isGemName } from './names.ts';

/** The lists of names with versions that old clients read: of releases, of the newest of them, and of prereleases. */
export type SpecsList = 'specs' | 'latest_specs' | 'prerelease_specs';

/** A file of a version, and what its name means. */
export interface GemFile extends ReturnType<typeof addressOf> {
  readonly kind: 'file';
}

/** The meaning of a path below `/gems/{workspace}/{repository}/`. */
export type GemsPath =
  | { readonly kind: 'versions' | 'names' | 'unknown' }
  | { readonly kind: 'specs'; readonly list: SpecsList }
  | { readonly kind: 'info'; readonly gem: string }
  | GemFile;

const unknown: GemsPath = { kind: 'unknown' };

const fileOf = (file: string, nameOf: (fullName: string) => string): GemsPath => {
  const ending = nameOf('');
  const full = file.endsWith(ending) ? readFullName(file.slice(0, -ending.length)) : undefined;
  return full ? { kind: 'file', ...addressOf(full, file) } : unknown;
};

const listIn = (file: string): GemsPath => {
  if (file === 'versions' || file === 'names') return { kind: file };
  const list = /^((?:latest_|prerelease_)?specs)\.4\.8\.gz$/.exec(file)?.[1];
  return list === undefined ? unknown : { kind: 'specs', list: list as SpecsList };
};

/** Parses the tail of a path exactly as the client sent it, still percent-encoded. */
export const parsePath = (rawTail: string): GemsPath => {
  const [first = '', second, third, ...others] = decodeSegments(rawTail) ?? [];
  if (others.length > 0) return unknown;
  if (second === undefined) return listIn(first);
  if (third !== undefined) return first === 'quick' && second === 'Marshal.4.8' ? fileOf(third, gemspecFile) : unknown;
  if (first === 'info') return isGemName(second) ? { kind: 'info', gem: second } : unknown;
  return first === 'gems' ? fileOf(second, gemFile) : unknown;
};

/** The path of a file below the address of a repository, here and at an upstream. */
export const filePath = (file: string): string =>
  `${file.endsWith('.gem') ? 'gems' : 'quick/Marshal.4.8'}/${encodeURIComponent(file)}`;
