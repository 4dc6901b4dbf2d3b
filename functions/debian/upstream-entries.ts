import { hash } from 'node:crypto';
import type { NamedEntry } from '../../shared/packages/serve/repository-index.ts';
import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { partsOf } from './index-entries.ts';
import { type DebianPlace, isBuild, isPlace } from './names.ts';
import { versionKey } from './paths.ts';

/** Where a list of an upstream is. */
export type ListedAt = DebianPlace;

const fieldOf = (stanza: string, name: string): string =>
  (new RegExp(`^${name}:(.*)$`, 'm').exec(stanza)?.[1] ?? '').trim();

/** Whether a path leads to a package below the upstream. */
const isBelow = (path: string): boolean =>
  path.endsWith('.deb') && !/[:%?#]/.test(path) && decodeSegments(path) !== undefined;

/**
 * The entries of packages in a list of an upstream. Those that are elsewhere than below the upstream are left out, and those whose names
 * no package has.
 */
export const upstreamEntries = (place: ListedAt, list: Uint8Array): readonly NamedEntry[] => {
  const text = Buffer.from(list.buffer, list.byteOffset, list.length).toString();
  if (!isPlace(place)) return [];
  return text.split(/\n{2,}/).flatMap((paragraph) => {
    const [name, version, architecture] = ['Package', 'Version', 'Architecture'].map((field) =>
      fieldOf(paragraph, field),
    ) as [string, string, string];
    const build = { name, version, architecture };
    if (!isBuild(build) || !isBelow(fieldOf(paragraph, 'Filename'))) return [];
    const stanza = `${paragraph.replace(/\n$/, '')}\n`;
    const listed = fieldOf(paragraph, 'SHA256');
    const sha256 = /^[0-9a-f]{64}$/.test(listed) ? listed : hash('sha256', stanza);
    return [{ name, version: versionKey(place, build), parts: partsOf({ version, sha256, stanza }) }];
  });
};
