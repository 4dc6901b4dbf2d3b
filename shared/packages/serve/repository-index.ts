import type { Table } from '../../table/client.ts';
import type { IndexHead } from '../../table/packages/package-index.ts';
import { indexHeadKey } from '../../table/packages/package-keys.ts';
import { contentIdOf, type LocalRepository, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { documentKeys, type UpstreamDocument } from '../fetch/remote-documents.ts';
import { entriesOf, readIndex } from '../index/package-index.ts';
import { isLocal, isRemote, sourcesByRules } from '../sources/resolution.ts';
import { revisionOfRules, type Source, type Sources } from '../sources/sources.ts';
import { fetchRequest } from '../upstream/upstream-request.ts';
import {
  answersOf,
  type FoundIndexes,
  type IndexCall,
  joined,
  type KnownIndex,
  remoteIndex,
} from './package-indexes.ts';
import { readable } from './readable.ts';

/** A version of a package in the index of a repository. */
export interface NamedEntry {
  readonly name: string;
  readonly version: string;
  /** The texts of the entry, in a form that only the package type knows. */
  readonly parts: readonly string[];
}

/** The index of a whole repository. */
export interface RepositoryIndex {
  readonly entries: readonly NamedEntry[];
  /** When it last changed, as far as that is known. */
  readonly updatedAt: string | undefined;
}

/** The index of a source, with the names that a local one holds or ever held. */
interface SourceIndex extends RepositoryIndex {
  readonly source: Source;
  readonly held: ReadonlySet<string>;
}

/** The index of the repository of the address. */
export interface FoundRepositoryIndex extends Pick<FoundIndexes<unknown>, 'name' | 'revision' | 'headers'> {
  readonly load: () => Promise<RepositoryIndex>;
}

/**
 * Finds the index over all packages in the sources of an address, by the heads in the local sources and by what is cached of the
 * remote ones, in one read unless the first read has them. The changes are queried when the index is loaded. The rules of `sourcesByRules` hold for each name: the indexes of the local
 * sources also say which names they ever held. Undefined if no source has an index, which only remote ones can lack. Throws
 * LIST_TOO_LONG, UPSTREAM_FAILED and UPSTREAM_TIMEOUT; FILE_PENDING while an upstream takes longer than the request and the client can wait.
 */
export const findRepositoryIndex = async (
  { table, loaded, query }: IndexCall,
  sources: Sources,
  ofUpstream: (source: RemoteRepository) => UpstreamDocument<RepositoryIndex>,
): Promise<FoundRepositoryIndex | undefined> => {
  const request = fetchRequest({ table, query });
  const keys = sources.all.filter(isRemote).flatMap((source) => documentKeys(source, ofUpstream(source)));
  const headKeyOf = (source: Source) => indexHeadKey({ contentId: contentIdOf(source) });
  const read = await table.read([...sources.all.filter(isLocal).map(headKeyOf), ...keys], loaded);
  const answers = await answersOf<SourceIndex>(sources.all, async (source) => {
    const answer = isRemote(source)
      ? ofSource(source, await remoteIndex(request, source, ofUpstream(source), read))
      : localIndex(table, source, read.find(headKeyOf(source)));
    return answer && readable(source, { kind: 'index', name: '' }, answer);
  });
  const found = joined('', answers, query, revisionOfRules(sources));
  return found && { ...found, load: async () => merged(sources, await found.load()) };
};

/** The index of an upstream, which holds no name for itself. */
const ofSource = (
  source: Source,
  answer: KnownIndex<RepositoryIndex> | undefined,
): KnownIndex<SourceIndex> | undefined =>
  answer && { ...answer, load: async () => ({ ...(await answer.load()), source, held: new Set<string>() }) };

const localIndex = (table: Table, source: LocalRepository, head: IndexHead | undefined): KnownIndex<SourceIndex> => {
  const contentId = contentIdOf(source);
  const load = async (): Promise<SourceIndex> => {
    const found = head && (await readIndex(table, { contentId }));
    const all = found ? [...(await entriesOf(table, found)).values()] : [];
    const named = all.map(({ version: entry, isRemoved, parts }) => {
      const at = entry.indexOf(' ');
      return { name: entry.slice(0, at), version: entry.slice(at + 1), isRemoved, parts };
    });
    return {
      source,
      entries: named.filter(({ isRemoved }) => !isRemoved),
      held: new Set(named.map(({ name }) => name)),
      updatedAt: found?.head.updatedAt,
    };
  };
  const { revision = 0, entryBytes = 0 } = head ?? {};
  return { source, bytes: entryBytes, revision: `${contentId}:${revision}`, load };
};

/** The union of the versions. The first source wins for each version of a package, among those that may answer for its name. */
const merged = (sources: Sources, indexes: readonly SourceIndex[]): RepositoryIndex => {
  const updatedAt = indexes
    .flatMap((index) => index.updatedAt ?? [])
    .toSorted()
    .at(-1);
  const [first, ...others] = indexes;
  const isAlone = sources.all.length === 1 && sources.upstreamNames.block.length === 0;
  if (first && others.length === 0 && isAlone) return { entries: first.entries, updatedAt };
  const heldBy = new Map(indexes.map(({ source, held }) => [source, held]));
  const answering = new Map<string, readonly Source[]>();
  const mayAnswer = (source: Source, name: string): boolean => {
    const known = answering.get(name) ?? sourcesByRules(sources, name, (each) => heldBy.get(each)?.has(name) ?? false);
    answering.set(name, known);
    return known.includes(source);
  };
  const entries = new Map<string, NamedEntry>();
  for (const index of indexes)
    for (const entry of index.entries) {
      const key = `${entry.name} ${entry.version}`;
      if (!entries.has(key) && mayAnswer(index.source, entry.name)) entries.set(key, entry);
    }
  return { entries: [...entries.values()], updatedAt };
};
