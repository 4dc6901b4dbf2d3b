import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { unescapedText } from './escapes.ts';
import { isFileName } from './file-names.ts';
import { fitsPathMajor, modulePathProblem } from './module-paths.ts';
import { isCanonical } from './versions.ts';

/** The files of a version that the protocol knows. */
export type FileKind = 'info' | 'mod' | 'zip';

/** The meaning of a path below `/go/{workspace}/{repository}/` (https://go.dev/ref/mod#goproxy-protocol). */
export type GoPath =
  | { readonly kind: 'list'; readonly name: string }
  | { readonly kind: 'latest'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly version: string; readonly fileKind: FileKind }
  /** The `.info` of a branch, of a tag or of a part of a version, which stands for some version. */
  | { readonly kind: 'query'; readonly name: string; readonly query: string }
  /** A path of a checksum database. A lookup has the name of a module. */
  | {
      readonly kind: 'checksums';
      readonly database: string;
      readonly path: string;
      readonly name?: string;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

const unknown = (reason: string): GoPath => ({ kind: 'unknown', reason });

const noRequest = unknown(
  'The path is no request to a module proxy: it ends in @latest, @v/list, or @v/ and a version with .info, .mod or .zip.',
);

/** Parses the tail of a path exactly as the client sent it, still percent-encoded. */
export const parsePath = (rawTail: string): GoPath => {
  const segments = decodeSegments(rawTail);
  if (!segments || segments.some((segment) => segment.includes('/'))) return noRequest;
  if (segments[0] === 'sumdb') return checksumPath(segments.slice(1));
  const last = segments.at(-1) ?? '';
  const isLatest = last === '@latest';
  if (!isLatest && segments.at(-2) !== '@v') return noRequest;
  const escaped = segments.slice(0, isLatest ? -1 : -2).join('/');
  const name = unescapedText(escaped);
  if (name === undefined)
    return unknown(`'${escaped}' is no escaped module path: write a capital letter as ! and the small letter.`);
  const problem = modulePathProblem(name);
  if (problem !== undefined) return unknown(`'${name}' is no module path: it ${problem}.`);
  if (isLatest) return { kind: 'latest', name };
  return last === 'list' ? { kind: 'list', name } : versionPath(name, last);
};

const versionPath = (name: string, last: string): GoPath => {
  const [, escaped = '', fileKind] = /^(.+)\.(info|mod|zip)$/.exec(last) ?? [];
  if (fileKind === undefined) return noRequest;
  const version = unescapedText(escaped);
  if (version === undefined || version.includes('!') || !isFileName(version))
    return unknown(`'${escaped}' is no escaped version: write a capital letter as ! and the small letter.`);
  if (isCanonical(version) && fitsPathMajor(name, version))
    return { kind: 'file', name, version, fileKind: fileKind as FileKind };
  if (fileKind === 'info') return { kind: 'query', name, query: version };
  return unknown(`'${version}' is no canonical version of '${name}'.`);
};

/** A path of a checksum database is part of a key of the table, which has at most 1,024 bytes. */
const checksumPathMax = 900;

/** The names of databases are those of hosts, and may have a path. */
const databaseName = /^[a-z0-9][a-z0-9.-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/;

const checksumPath = (segments: readonly string[]): GoPath => {
  const start = segments.findIndex((segment) => ['supported', 'latest', 'lookup', 'tile'].includes(segment));
  const database = segments.slice(0, start).join('/');
  const [operation = '', ...rest] = start === -1 ? [] : segments.slice(start);
  const path = [operation, ...rest].join('/');
  if (!databaseName.test(database) || path.length > checksumPathMax) return noRequest;
  switch (operation) {
    case 'supported':
    case 'latest':
      return rest.length === 0 ? { kind: 'checksums', database, path } : noRequest;
    case 'tile':
      return /^\d+(?:\/(?:[x\d.p]+|data))+$/.test(rest.join('/')) ? { kind: 'checksums', database, path } : noRequest;
    default:
      return lookupPath(database, path, rest.join('/'));
  }
};

const lookupPath = (database: string, path: string, module: string): GoPath => {
  const [, escaped = '', version] = /^([^@]+)@([^@/]+)$/.exec(module) ?? [];
  const name = unescapedText(escaped);
  const isLookup = version !== undefined && name !== undefined && modulePathProblem(name) === undefined;
  return isLookup ? { kind: 'checksums', database, path, name } : noRequest;
};

/** The name under which a file of a version is stored. */
export const fileName = (version: string, kind: FileKind): string => `${version}.${kind}`;
