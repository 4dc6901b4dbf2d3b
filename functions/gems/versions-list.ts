import { hash } from 'node:crypto';
import type { NamedEntry, RepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import { readVersionText } from './full-names.ts';
import { readInfoLine, renderInfo } from './info-lines.ts';

/** A gem as the document `versions` lists it. */
export interface ListedGem {
  readonly name: string;
  /** The versions with their platforms. */
  readonly versions: readonly string[];
  /** The MD5 of `info/{gem}` in hex. */
  readonly md5: string;
}

const md5Of = (text: string): string => hash('md5', text);

/**
 * Reads the lines of such a document: a later line adds versions, removes those with a hyphen in front, and has the newest hash. Lines and
 * versions of another form are left out.
 */
export const readVersions = (lines: readonly string[]): ReadonlyMap<string, ListedGem> => {
  const gems = new Map<string, { name: string; versions: Set<string>; md5: string }>();
  for (const line of lines) {
    const [, name = '', changes = '', md5 = ''] = /^(\S+) (\S+) ([0-9a-f]{32})$/.exec(line) ?? [];
    if (name === '') continue;
    const gem = gems.get(name) ?? { name, versions: new Set<string>(), md5 };
    gems.set(name, gem);
    gem.md5 = md5;
    for (const change of changes.split(','))
      if (change.startsWith('-')) gem.versions.delete(change.slice(1));
      else if (readVersionText(change)) gem.versions.add(change);
  }
  return new Map(Array.from(gems, ([name, gem]) => [name, { ...gem, versions: [...gem.versions] }]));
};

/** The part of a gem that one entry of an index has: a version of a local repository, or all versions of an upstream. */
interface Part {
  readonly versions: readonly string[];
  /** Set for an upstream. */
  readonly md5?: string;
}

const partOf = ({ parts: [, , versions, md5] }: NamedEntry): Part | undefined =>
  versions === undefined || md5 === undefined ? undefined : { versions: versions.split(','), md5 };

/**
 * A gem as its sources list it. The hash of a document that is made from several of them is not known before: another one that changes
 * with each of them costs a client one question.
 */
const listedGem = (name: string, entries: readonly NamedEntry[]): ListedGem => {
  const parts = entries.map(partOf);
  const upstream = parts.filter((part) => part !== undefined);
  const lines = entries.flatMap((entry, at) => (parts[at] ? [] : (readInfoLine(entry.parts[1] ?? '') ?? [])));
  const isInfoOurs = lines.length > 0 || upstream.length === 0;
  const md5s = [...(isInfoOurs ? [md5Of(renderInfo([lines]))] : []), ...upstream.map((part) => part.md5)];
  const versions = [...lines.map(({ version }) => version), ...upstream.flatMap((part) => part.versions)];
  const [md5 = ''] = md5s;
  return { name, versions: [...new Set(versions)], md5: md5s.length > 1 ? md5Of(md5s.join()) : md5 };
};

/** All gems of an index, in the order of their names. */
export const listedGems = ({ entries }: RepositoryIndex): readonly ListedGem[] =>
  Array.from(Map.groupBy(entries, ({ parts: [name = ''] }) => name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, ofGem]) => listedGem(name, ofGem));

/** The hash of the document of a gem without versions. */
const emptyMd5 = md5Of('---\n');

const lineOf = ({ name, versions, md5 }: ListedGem): string => `${name} ${versions.join()} ${md5}\n`;

const whole = (gems: readonly ListedGem[]): string =>
  `created_at: ${new Date().toISOString()}\n---\n${gems.map(lineOf).join('')}`;

/** What leads from a gem that was listed before to that which is to be listed now; undefined if nothing has changed. */
const changeOf = (before: ListedGem | undefined, now: ListedGem): ListedGem | undefined => {
  const [known, wanted] = [new Set(before?.versions), new Set(now.versions)];
  const added = now.versions.filter((version) => !known.has(version));
  const removed = (before?.versions ?? []).filter((version) => !wanted.has(version));
  const changes = [...added, ...removed.map((version) => `-${version}`)];
  if (changes.length === 0 && before?.md5 === now.md5) return undefined;
  // A line has a version: one that is known already changes nothing.
  return { ...now, versions: changes.length > 0 ? changes : now.versions.slice(-1) };
};

/** A document is written anew once it has so many bytes more than twice what it needs: each client fetches it whole then. */
const historyBytesMax = 100_000;

/**
 * The document `versions` of these gems. It begins with the one before, so that clients fetch what is new alone: what has changed stands
 * at its end, also that a version is gone.
 */
export const grownVersions = (before: string | undefined, gems: readonly ListedGem[]): string => {
  if (before === undefined) return whole(gems);
  const known = readVersions(before.split('\n'));
  const names = new Set(gems.map(({ name }) => name));
  const gone = Array.from(known.values()).filter(({ name, versions }) => !names.has(name) && versions.length > 0);
  const wanted = [...gems, ...gone.map(({ name }) => ({ name, versions: [], md5: emptyMd5 }))];
  const changes = wanted.flatMap((gem) => changeOf(known.get(gem.name), gem) ?? []);
  const grown = before + changes.map(lineOf).join('');
  const needed = whole(gems);
  return grown.length > 2 * needed.length + historyBytesMax ? needed : grown;
};
