import { hash } from 'node:crypto';
import type { NamedEntry } from '../../shared/packages/serve/repository-index.ts';
import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { partsOf } from './index-entries.ts';
import { type DebianPlace, isBuild, isPlace } from './names.ts';
import { type Field, fieldOf, paragraphsIn } from './paragraphs.ts';
import { versionKey } from './paths.ts';

/** Where a list of an upstream is. */
export type ListedAt = DebianPlace;

/** Whether a path leads to a package below the upstream. */
const isBelow = (path: string): boolean =>
  path.endsWith('.deb') && !/[:%?#]/.test(path) && decodeSegments(path) !== undefined;

const entryOf = (place: ListedAt, fields: readonly Field[]): readonly NamedEntry[] => {
  const textOf = (name: string): string => fieldOf(fields, name) ?? '';
  const build = { name: textOf('Package'), version: textOf('Version'), architecture: textOf('Architecture') };
  if (!isBuild(build) || !isBelow(textOf('Filename'))) return [];
  const { name, version } = build;
  const stanza = `${fields.map(({ lines }) => lines).join('\n')}\n`;
  const listed = textOf('SHA256');
  const sha256 = /^[0-9a-f]{64}$/.test(listed) ? listed : hash('sha256', stanza);
  return [{ name, version: versionKey(place, build), parts: partsOf({ version, sha256, stanza }) }];
};

/**
 * The entries of packages in a list of an upstream, written anew from what was read: clients read the same names. Those that are elsewhere
 * than below the upstream are left out, and those whose names no package has.
 */
export const upstreamEntries = (place: ListedAt, list: Uint8Array): readonly NamedEntry[] => {
  const text = Buffer.from(list.buffer, list.byteOffset, list.length).toString();
  if (!isPlace(place)) return [];
  return Array.from(paragraphsIn(text), (fields) => entryOf(place, fields)).flat();
};
