import { isPackageId, nameOfId } from '../nupkg/ids.ts';
import { nuspecFile, packageFile } from '../nupkg/package-files.ts';
import { normalVersion } from '../nupkg/versions.ts';
import { decodeSegments } from '../sources/path-segments.ts';
import type { FileAddress } from '../sources/resolution.ts';

/** What a path of the protocol, version 3, names. */
export type ProtocolPath =
  | { readonly kind: 'service' }
  /** The list of the versions of a package. */
  | { readonly kind: 'versions'; readonly name: string }
  /** What is known of all versions, in pages. */
  | { readonly kind: 'registration'; readonly name: string }
  | { readonly kind: 'page'; readonly name: string; readonly lower: string; readonly upper: string }
  | { readonly kind: 'leaf'; readonly name: string; readonly version: string }
  | ({ readonly kind: 'file' } & FileAddress);

/** The folders of the protocol, below the address of a repository. */
export const folders = { files: 'v3/flat', registrations: 'v3/registration' } as const;

/** Parses a percent-encoded path; undefined if the protocol has no such one. Case does not count. */
export const parsePath = (path: string): ProtocolPath | undefined => {
  const segments = decodeSegments(path)?.map((segment) => segment.toLowerCase());
  if (!segments) return undefined;
  const joined = segments.join('/');
  if (joined === 'v3/index.json' || joined === 'index.json') return { kind: 'service' };
  const [protocol, folder, id = '', ...rest] = segments;
  if (protocol !== 'v3' || !isPackageId(id)) return undefined;
  if (folder === 'flat') return parseFile(nameOfId(id), rest);
  return folder === 'registration' ? parseRegistration(nameOfId(id), rest) : undefined;
};

const parseFile = (name: string, [first = '', file, ...others]: readonly string[]): ProtocolPath | undefined => {
  if (file === undefined) return first === 'index.json' ? { kind: 'versions', name } : undefined;
  const version = normalVersion(first);
  if (version === undefined || others.length > 0) return undefined;
  // Some clients take the version as it is spelled elsewhere.
  for (const ending of ['nupkg', 'snupkg'] as const)
    if (file === `${name}.${version}.${ending}` || file === `${name}.${first}.${ending}`)
      return { kind: 'file', ...packageFile(name, version, ending) };
  return file === `${name}.nuspec` ? { kind: 'file', ...nuspecFile(name, version) } : undefined;
};

const jsonName = (segment = ''): string | undefined => /^(?<name>.+)\.json$/.exec(segment)?.groups?.name;

const parseRegistration = (name: string, segments: readonly string[]): ProtocolPath | undefined => {
  if (segments.length === 1) {
    const file = jsonName(segments[0]);
    if (file === 'index') return { kind: 'registration', name };
    const version = file === undefined ? undefined : normalVersion(file);
    return version === undefined ? undefined : { kind: 'leaf', name, version };
  }
  const [page, first = '', last] = segments;
  const [lower, upper] = [normalVersion(first), normalVersion(jsonName(last) ?? '')];
  if (page !== 'page' || segments.length !== 3 || lower === undefined || upper === undefined) return undefined;
  return { kind: 'page', name, lower, upper };
};
