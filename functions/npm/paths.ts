import { isForbiddenSegment } from '../../shared/packages/sources/path-segments.ts';
import { isPackageName, unscopedOf } from './names.ts';

/** The meaning of a path below `/npm/{workspace}/{repository}/`. */
export type NpmPath =
  | { readonly kind: 'packument'; readonly name: string }
  | { readonly kind: 'packument-revision'; readonly name: string; readonly revision: string }
  | { readonly kind: 'version'; readonly name: string; readonly versionOrTag: string }
  | { readonly kind: 'file'; readonly name: string; readonly version: string; readonly file: string }
  | {
      readonly kind: 'file-revision';
      readonly name: string;
      readonly version: string;
      readonly file: string;
      readonly revision: string;
    }
  | { readonly kind: 'dist-tags'; readonly name: string }
  | { readonly kind: 'dist-tag'; readonly name: string; readonly tag: string }
  | { readonly kind: 'user'; readonly username: string; readonly revision?: string }
  | { readonly kind: 'attestations'; readonly name: string; readonly version: string }
  | { readonly kind: 'keys' }
  | { readonly kind: 'audit' | 'ping' | 'search' | 'whoami' | 'unknown' };

const unknown: NpmPath = { kind: 'unknown' };

/** Whether a decoded text may stand between two slashes of a path. */
const isSegment = (text: string): boolean => !text.includes('/') && !isForbiddenSegment(text);

/** Decodes a segment once. Only a scoped name may contain an encoded slash, and becomes two segments. */
const decodeSegment = (raw: string): string[] => {
  const text = decodeURIComponent(raw);
  return /^@[^/]+\/[^/]+$/.test(text) ? text.split('/') : [text];
};

const segmentsOf = (rawTail: string): string[] | undefined => {
  try {
    const segments = rawTail.split('/').flatMap(decodeSegment);
    return segments.every(isSegment) ? segments : undefined;
  } catch {
    return undefined;
  }
};

/** Splits segments that begin with the name of a package. */
const takeName = (segments: readonly string[]): { name: string; rest: string[] } | undefined => {
  const length = segments[0]?.startsWith('@') ? 2 : 1;
  const name = segments.slice(0, length).join('/');
  return isPackageName(name) ? { name, rest: segments.slice(length) } : undefined;
};

/** Parses the tail of a path exactly as the client sent it, still percent-encoded. */
export const parsePath = (rawTail: string): NpmPath => {
  const segments = segmentsOf(rawTail);
  if (!segments) return unknown;
  if (segments[0] === '-') return parseServicePath(segments.slice(1));
  const named = takeName(segments);
  return named ? parsePackagePath(named.name, named.rest) : unknown;
};

const parsePackagePath = (name: string, rest: readonly string[]): NpmPath => {
  const shape = rest.map((segment) => (segment === '-' || segment === '-rev' ? segment : '*')).join('/');
  const [first = '', second = '', third = '', revision = ''] = rest;
  switch (shape) {
    case '':
      return { kind: 'packument', name };
    case '*':
      return { kind: 'version', name, versionOrTag: first };
    case '-rev/*':
      return { kind: 'packument-revision', name, revision: second };
    case '-/*':
      return filePath(name, second);
    // The form of GitLab, and of npm itself when it publishes. Lock files contain it.
    case '-/*/*':
      return name.startsWith(`${second}/`) ? filePath(name, third) : unknown;
    case '-/*/-rev/*': {
      const path = filePath(name, second);
      return path.kind === 'file' ? { ...path, kind: 'file-revision', revision } : unknown;
    }
    default:
      return unknown;
  }
};

/** Keys of the table escape these characters, and such a key may become too long. No version of npm has one. */
const isFileName = (text: string): boolean => isSegment(text) && !/[#%]/.test(text);

const filePath = (name: string, file: string): NpmPath => {
  const version = isFileName(file) ? versionOfFile(name, file) : undefined;
  return version === undefined ? unknown : { kind: 'file', name, version, file };
};

const parseServicePath = (segments: readonly string[]): NpmPath => {
  switch (segments.join('/')) {
    case 'ping':
      return { kind: 'ping' };
    case 'whoami':
      return { kind: 'whoami' };
    case 'v1/search':
      return { kind: 'search' };
  }
  if (segments.join('/').startsWith('npm/v1/security/')) return { kind: 'audit' };
  if (segments.join('/') === 'npm/v1/keys') return { kind: 'keys' };
  if (segments.join('/').startsWith('npm/v1/attestations/')) return attestationsPath(segments.slice(3));
  const [first, ...rest] = segments;
  if (first === 'package') return tagPath(rest);
  return first === 'user' ? userPath(rest) : unknown;
};

/** The name of a package, `@`, and a version. */
const attestationsPath = (segments: readonly string[]): NpmPath => {
  const text = segments.join('/');
  const at = text.lastIndexOf('@');
  const [name, version] = [text.slice(0, at), text.slice(at + 1)];
  return at > 0 && isPackageName(name) && isFileName(version) ? { kind: 'attestations', name, version } : unknown;
};

const tagPath = (segments: readonly string[]): NpmPath => {
  const named = takeName(segments);
  if (named?.rest[0] !== 'dist-tags') return unknown;
  const { name, rest } = named;
  const [, tag] = rest;
  if (tag === undefined) return { kind: 'dist-tags', name };
  return rest.length === 2 ? { kind: 'dist-tag', name, tag } : unknown;
};

const userPath = ([user = '', marker, revision, ...more]: readonly string[]): NpmPath => {
  const username = /^org\.couchdb\.user:(?<username>.+)$/.exec(user)?.groups?.username;
  if (username === undefined) return unknown;
  if (marker === undefined) return { kind: 'user', username };
  return marker === '-rev' && revision !== undefined && more.length === 0
    ? { kind: 'user', username, revision }
    : unknown;
};

/**
 * The name of the tarball of a version. Every address that Stockroom returns contains it, whatever name the upstream
 * gives the file.
 */
export const tarballFile = (name: string, version: string): string => `${unscopedOf(name)}-${version}.tgz`;

/** The name of the file that says how a version was built. */
export const provenanceFile = (name: string, version: string): string => `${unscopedOf(name)}-${version}.sigstore`;

/** The version that a tarball or a provenance file of a package belongs to. */
export const versionOfFile = (name: string, file: string): string | undefined => {
  const prefix = `${unscopedOf(name)}-`;
  const suffix = ['.tgz', '.sigstore'].find((ending) => file.endsWith(ending));
  if (suffix === undefined || !file.startsWith(prefix)) return undefined;
  return file.slice(prefix.length, -suffix.length) || undefined;
};

/** The path of the tarball of a version below the address of the repository. */
export const tarballPath = (name: string, version: string): string =>
  `${name}/-/${encodeURIComponent(tarballFile(name, version))}`;

/** Whether a path can name the tarball of a version. If not, the tarball cannot be downloaded. */
export const hasTarballPath = (name: string, version: string): boolean => isFileName(tarballFile(name, version));
