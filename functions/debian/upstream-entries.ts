import { hash } from 'node:crypto';
import type { NamedEntry } from '../../shared/packages/serve/repository-index.ts';
import { decodeSegments, withoutDots } from '../../shared/packages/sources/path-segments.ts';
import { partsOf } from './index-entries.ts';
import { type DebianPlace, isBuild, isPlace } from './names.ts';
import { type Field, fieldOf, paragraphsIn } from './paragraphs.ts';
import { versionKey } from './paths.ts';

/** Where a list of an upstream is. */
export type ListedAt = DebianPlace;

/** The plain path of a package below the upstream; undefined if it is elsewhere. */
const pathBelow = (listed: string): string | undefined => {
  const path = withoutDots(listed);
  return path.endsWith('.deb') && !/[:%?#]/.test(path) && decodeSegments(path) ? path : undefined;
};

/** The stanza of a package, written anew from its fields. */
const stanzaOf = (fields: readonly Field[], path: string): string =>
  fields.map(({ name, lines }) => `${name.toLowerCase() === 'filename' ? `${name}: ${path}` : lines}\n`).join('');

const entryOf = (place: ListedAt, fields: readonly Field[]): readonly NamedEntry[] => {
  const textOf = (name: string): string => fieldOf(fields, name) ?? '';
  const build = { name: textOf('Package'), version: textOf('Version'), architecture: textOf('Architecture') };
  const path = pathBelow(textOf('Filename'));
  if (!isBuild(build) || path === undefined) return [];
  const { name, version } = build;
  const stanza = stanzaOf(fields, path);
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
