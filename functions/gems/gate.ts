import type { IndexGate } from '../../shared/packages/gate/gated-index.ts';
import { millisecondsOf, type Release } from '../../shared/packages/releases/gate-of.ts';
import type { NamedEntry, RepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import { readVersionText, versionKey } from './full-names.ts';
import { createdAt, type InfoLine } from './info-lines.ts';

/** The versions of a gem, each with its platform. Not every compact index says when they were published. */
export const releasesOf = (lines: readonly InfoLine[]): readonly Release[] =>
  lines.map((line) => ({ id: line.key, version: line.key, publishedAt: millisecondsOf(createdAt(line)) }));

/** How the document of a gem loses what a gate holds back. */
export const infoGate: IndexGate<readonly InfoLine[]> = {
  releases: releasesOf,
  without: (lines, held) => lines.filter(({ key }) => !held.has(key)),
};

/** The key of a version that the list of all gems spells. */
const keyOf = (text: string): string => {
  const read = readVersionText(text);
  return read ? versionKey(read) : text;
};

const versionsIn = ({ parts: [, , versions = ''] }: NamedEntry): readonly string[] => versions.split(',');

const releaseOf = ({ name }: NamedEntry, version: string): Release => ({ id: `${name} ${version}`, name, version });

/** What a copy of the list of all gems has that the one before lacked. Most gems have the same line in both. */
export const additionsTo = (earlier: RepositoryIndex, { entries }: RepositoryIndex): readonly Release[] => {
  const before = new Map(earlier.entries.map((entry) => [entry.version, entry]));
  return entries.flatMap((entry) => {
    const old = before.get(entry.version);
    if (old?.parts[2] === entry.parts[2]) return [];
    const known = new Set(old ? versionsIn(old).map(keyOf) : []);
    const added = versionsIn(entry)
      .map(keyOf)
      .filter((key) => !known.has(key));
    return added.map((version) => releaseOf(entry, version));
  });
};

const withoutVersions = (entry: NamedEntry, held: ReadonlySet<string>): NamedEntry[] => {
  const left = versionsIn(entry).filter((text) => !held.has(`${entry.name} ${keyOf(text)}`));
  const [name = '', line = '', , md5 = ''] = entry.parts;
  return left.length > 0 ? [{ ...entry, parts: [name, line, left.join(), md5] }] : [];
};

/**
 * How the lists over all gems lose what a gate holds back. They say no times: what they lacked before counts from when it was first seen
 * in them. Clients read from the document of a gem what they install.
 */
export const listGate: IndexGate<RepositoryIndex> = {
  releases: 'additions',
  ofNames: ({ entries }, isNamed) =>
    entries
      .filter(({ name }) => isNamed(name))
      .flatMap((entry) => versionsIn(entry).map((text) => releaseOf(entry, keyOf(text)))),
  without: (index, held) => {
    const names = new Set(Array.from(held, (id) => id.slice(0, id.indexOf(' '))));
    return {
      ...index,
      entries: index.entries.flatMap((entry) => (names.has(entry.name) ? withoutVersions(entry, held) : [entry])),
    };
  },
};
