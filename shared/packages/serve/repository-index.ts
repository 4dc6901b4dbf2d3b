import type { Table } from '../../table/client.ts';
import type { IndexHead, IndexName, NamedIndex } from '../../table/packages/package-index.ts';
import { type IndexRef, indexHeadKey, packageNameAt, packagesList } from '../../table/packages/package-keys.ts';
import { queryAll } from '../../table/query-pages.ts';
import { contentIdOf, type LocalRepository, type RemoteRepository } from '../../table/repositories/repositories.ts';
import type { UpstreamIndex } from '../fetch/joined-documents.ts';
import type { IndexGate } from '../gate/gated-index.ts';
import { indexRef, nameAndVersion } from '../index/index-listing.ts';
import { entriesOf, readIndex } from '../index/package-index.ts';
import { isLocal, isRemote, sourcesByRules } from '../sources/resolution.ts';
import type { Source, Sources } from '../sources/sources.ts';
import {
  type FoundIndexes,
  type FoundInSources,
  findIndex,
  type IndexCall,
  type KnownIndex,
} from './package-indexes.ts';

import { readable } from './readable.ts';

/** A version of a package in an index of several packages. */
export interface NamedEntry {
  readonly name: string;
  readonly version: string;
  /** The texts of the entry, in a form that only the package type knows. */
  readonly parts: readonly string[];
}

/** An index of several packages. */
export interface RepositoryIndex {
  readonly entries: readonly NamedEntry[];
  /** The versions that were deleted from local sources. */
  readonly deleted?: readonly string[];
  /** When it last changed, as far as that is known. */
  readonly updatedAt: string | undefined;
}

/** The index in a source, with the names that the index of a local one has or ever had. */
interface SourceIndex extends RepositoryIndex {
  readonly held?: ReadonlySet<string>;
}

/** How an index of several packages loses the versions that a gate holds back. */
export const versionGate = (releases: IndexGate<RepositoryIndex>['releases']): IndexGate<RepositoryIndex> => ({
  releases,
  without: (index, held) => ({
    ...index,
    entries: index.entries.filter(({ name, version }) => !held.has(`${name} ${version}`)),
  }),
});

/** The index of the repository of the address. */
export interface FoundRepositoryIndex extends Omit<FoundIndexes<unknown>, 'load'> {
  readonly load: () => Promise<RepositoryIndex>;
}

/**
 * Finds the index over all packages in the sources of an address. The rules of `sourcesByRules` hold for each name: the indexes of the local
 * sources also say which names they held since they were last emptied, and the lists of their packages which they held before. Undefined if no
 * source has an index, which only remote ones can lack. Throws as `findIndex`.
 */
export const findRepositoryIndex = async (
  call: IndexCall,
  sources: Sources,
  ofUpstream: (source: RemoteRepository) => UpstreamIndex<RepositoryIndex>,
  gate?: IndexGate<RepositoryIndex>,
): Promise<FoundRepositoryIndex | undefined> => {
  const found = await findIndex<IndexHead, SourceIndex>(call, sources, {
    name: '',
    headKeyIn: headKeyOf('repository'),
    asked: () => sources.all,
    ofLocal: (source, head) => localIndex(call.table, source, 'repository', head),
    ofUpstream,
    gate,
  });
  return (
    found && {
      ...found,
      load: async () => merged(sources, await found.load(), await namesBefore(call.table, sources)),
    }
  );
};

/**
 * The names that emptied local sources had before, if a remote source could answer for them. The sweeper takes a name over into the present
 * content before it removes it from an earlier one, so the present one is read last.
 */
const namesBefore = async (table: Table, { all }: Sources): Promise<ReadonlySet<string>> => {
  const emptied = all.some(isRemote) ? all.filter(isLocal).filter(wasEmptied) : [];
  const contents = emptied.flatMap((source) => [...(source.earlierContents ?? []), contentIdOf(source)]);
  const names = new Set<string>();
  for (const contentId of contents)
    for (const { position } of await queryAll(table, packagesList(contentId))) names.add(packageNameAt(position));
  return names;
};

const wasEmptied = ({ contentId }: LocalRepository): boolean => contentId !== undefined;

/** Finds a named index in the local sources that have it. It is loaded from each of them on its own. Throws LIST_TOO_LONG. */
export const findNamedIndex = async (
  call: IndexCall,
  sources: Sources,
  index: NamedIndex,
): Promise<FoundInSources<RepositoryIndex> | undefined> =>
  findIndex<IndexHead, SourceIndex>(call, sources, {
    name: '',
    headKeyIn: headKeyOf(index),
    asked: () => sources.all.filter(isLocal),
    ofLocal: (source, head) => head && localIndex(call.table, source, index, head),
  });

/** Where an index of several packages is in a source. */
const refIn = (source: Source, index: IndexName): IndexRef =>
  indexRef({ contentId: contentIdOf(source), name: '' }, index);

const headKeyOf = (index: IndexName) => (source: Source) => indexHeadKey(refIn(source, index));

const localIndex = (
  table: Table,
  source: LocalRepository,
  index: IndexName,
  head: IndexHead | undefined,
): KnownIndex<SourceIndex> => {
  const contentId = contentIdOf(source);
  const load = async (): Promise<SourceIndex> => {
    // Also where there was none before: who makes a generation reads what is there now.
    const found = await readIndex(table, refIn(source, index));
    const all = found ? [...(await entriesOf(table, found)).values()] : [];
    const named = all.map(({ version: entry, isRemoved, parts }) => {
      const { name, version } = nameAndVersion(entry);
      return { name, version, isRemoved, parts };
    });
    const live = named.filter(({ isRemoved }) => !isRemoved);
    return {
      entries: live.filter(({ name, version }) => readable(source, { kind: 'version', name, version }, version)),
      deleted: named.filter(({ isRemoved }) => isRemoved).map(({ version }) => version),
      held: new Set(named.map(({ name }) => name)),
      updatedAt: found?.head.updatedAt,
    };
  };
  const { revision = 0, entryBytes = 0 } = head ?? {};
  return { source, bytes: entryBytes, revision: `${contentId}:${revision}`, load };
};

/**
 * The union of the versions. The first source wins for each version of a package, among those that may answer for its name. Local sources
 * also hold the names that they had before.
 */
const merged = (
  sources: Sources,
  indexes: Awaited<ReturnType<FoundInSources<SourceIndex>['load']>>,
  before: ReadonlySet<string>,
): RepositoryIndex => {
  const updatedAt = indexes
    .flatMap(({ index }) => index.updatedAt ?? [])
    .toSorted()
    .at(-1);
  const [first, ...others] = indexes;
  const isAlone = sources.all.length === 1 && sources.upstreamNames.block.length === 0;
  const deleted = indexes.flatMap(({ index }) => index.deleted ?? []);
  if (first && others.length === 0 && isAlone) return { entries: first.index.entries, deleted, updatedAt };
  const held = [before, ...indexes.flatMap(({ index }) => index.held ?? [])];
  const answering = new Map<string, readonly Source[]>();
  const mayAnswer = (source: Source, name: string): boolean => {
    const known = answering.get(name) ?? sourcesByRules(sources, name, () => held.some((names) => names.has(name)));
    answering.set(name, known);
    return known.includes(source);
  };
  const entries = new Map<string, NamedEntry>();
  for (const { source, index } of indexes)
    for (const entry of index.entries) {
      const key = `${entry.name} ${entry.version}`;
      if (!entries.has(key) && mayAnswer(source, entry.name)) entries.set(key, entry);
    }
  return { entries: [...entries.values()], deleted, updatedAt };
};
