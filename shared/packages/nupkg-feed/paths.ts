import { ApiError } from '../../errors.ts';
import { isPackageId, nameOfId } from '../nupkg/ids.ts';
import { packageFile } from '../nupkg/package-files.ts';
import { normalVersion } from '../nupkg/versions.ts';
import { decodeSegments } from '../sources/path-segments.ts';
import type { FileAddress } from '../sources/resolution.ts';

/** What a path of the protocol, version 2, names. */
export type FeedPath =
  /** What the feed can do, for clients that ask. */
  | { readonly kind: 'metadata' }
  /** Versions: of a package, of those that a filter lets through, or of those that a search finds. `isCount` asks for their number alone. */
  | { readonly kind: 'versions'; readonly of: 'package' | 'filter' | 'search'; readonly isCount: boolean }
  | { readonly kind: 'version'; readonly name: string; readonly version: string }
  /** The IDs that begin with a text, or the versions of one of them. */
  | { readonly kind: 'ids' }
  | { readonly kind: 'numbers'; readonly name: string }
  | ({ readonly kind: 'file' } & FileAddress);

const collections = { findpackagesbyid: 'package', packages: 'filter', search: 'search' } as const;

const parseCollection = (segment: string): 'package' | 'filter' | 'search' | undefined => {
  const name = segment.toLowerCase().replace(/\(\)$/, '');
  return Object.hasOwn(collections, name) ? collections[name as keyof typeof collections] : undefined;
};

const keyOfVersion = /^packages\(id='(?<id>[^']+)',version='(?<version>[^']+)'\)$/i;

const ofVersion = (id = '', text = ''): { readonly name: string; readonly version: string } | undefined => {
  const version = normalVersion(text);
  return isPackageId(id) && version !== undefined ? { name: nameOfId(id), version } : undefined;
};

/** Parses a percent-encoded path; undefined if the protocol has no such one. Case does not count. */
export const parseFeedPath = (path: string): FeedPath | undefined => {
  const [first = '', second, third, ...others] = decodeSegments(path) ?? [];
  if (first.toLowerCase() === 'package') return others.length > 0 ? undefined : parseFile(second, third);
  if (third !== undefined) return undefined;
  const of = parseCollection(first);
  if (of)
    return second === undefined || second === '$count'
      ? { kind: 'versions', of, isCount: second !== undefined }
      : undefined;
  if (first.toLowerCase() === 'package-versions')
    return second !== undefined && isPackageId(second) ? { kind: 'numbers', name: nameOfId(second) } : undefined;
  return second === undefined ? parseAlone(first) : undefined;
};

const parseFile = (id: string | undefined, text: string | undefined): FeedPath | undefined => {
  const found = ofVersion(id, text);
  return found && { kind: 'file', ...packageFile(found.name, found.version) };
};

const parseAlone = (segment: string): FeedPath | undefined => {
  if (segment.toLowerCase() === '$metadata') return { kind: 'metadata' };
  if (segment.toLowerCase() === 'package-ids') return { kind: 'ids' };
  const { id, version } = keyOfVersion.exec(segment)?.groups ?? {};
  const found = ofVersion(id, version);
  return found && { kind: 'version', ...found };
};

/** The version that a path of two segments names, as a client spells it. Galleries have `package/` before them. */
export const versionAddress = (path: string): { readonly package: string; readonly version: string } => {
  const segments = decodeSegments(path) ?? [];
  const [name = '', version = '', ...others] = segments[0]?.toLowerCase() === 'package' ? segments.slice(1) : segments;
  if (others.length > 0)
    throw new ApiError('VERSION_NOT_FOUND', 'The path must be the ID and the version of a package.');
  return { package: name, version };
};
