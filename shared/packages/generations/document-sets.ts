import { hash } from 'node:crypto';
import { fileInMemory } from '../../store/received-file.ts';
import type { Table } from '../../table/client.ts';
import { referToBlob, releaseBlob } from '../../table/packages/blobs.ts';
import { type GenerationFile, generationFileRemoved } from '../../table/packages/generations.ts';
import { generationFileKey } from '../../table/packages/package-keys.ts';
import { contentIdOf, type Repository } from '../../table/repositories/repositories.ts';
import type { Write } from '../../table/writes.ts';
import { storeBlob } from '../blobs/blob-storage.ts';
import { readSmallBlob } from '../blobs/small-blobs.ts';
import { currentGeneration, type GenerationCall, lastGeneration } from './generations.ts';

/** Files whose hashes are in their names, before they are stored. */
export type HashedFiles = ReadonlyMap<string, Buffer>;

/** Documents that name others by their hashes, such as the repomd.xml of rpm and its signature, by their names. */
export type EntryDocuments = Readonly<Record<string, string>>;

/** What a set consists of. */
export interface MadeSet {
  readonly files: HashedFiles;
  /** What the entry documents name beside these files: another set has others. */
  readonly alsoNamed?: readonly string[];
  /** Makes the documents that name them. It is called only if they are not the same as before. */
  readonly entry: () => Promise<EntryDocuments>;
}

/** A set of documents of one revision. */
export interface WantedSet {
  readonly document: string;
  /** It changes whenever one of the sources changes. */
  readonly revision: string;
  /** Whether readers may ask for the entry documents of a set as long as for its files, by `snapshotOf` these documents. */
  readonly hasSnapshots?: true;
  /** Makes the set from its sources, as they are now. */
  readonly make: () => Promise<MadeSet>;
}

/** A set as it is stored: the names of its files, and of those that earlier sets had, with the time since when they are no longer named. */
interface StoredSet {
  readonly entry: EntryDocuments;
  readonly files: readonly string[];
  readonly alsoNamed: readonly string[];
  /** The name of the file that keeps the entry documents. */
  readonly snapshot?: string;
  readonly retired: readonly { readonly at: string; readonly files: readonly string[] }[];
}

const snapshotBytes = (entry: EntryDocuments): Buffer => Buffer.from(JSON.stringify(entry));

/** The name of the entry documents of one set: their SHA-256 in hex. */
export const snapshotOf = (entry: EntryDocuments): string => hash('sha256', snapshotBytes(entry));

/** How long a file stays after the last set that named it: mirrors and proxies may have that set for so long. */
const retiredMilliseconds = 3 * 24 * 60 * 60 * 1000;

/** How many files one transaction adds, and how many it removes, at most. */
const [addedMax, removedMax] = [9, 9];

/** Files that leave together. */
const inGroups = (at: string, files: readonly string[]): StoredSet['retired'] =>
  Array.from({ length: Math.ceil(files.length / removedMax) }, (_, index) => ({
    at,
    files: files.slice(index * removedMax, (index + 1) * removedMax),
  }));

const parsed = (before: Buffer | undefined): StoredSet =>
  before ? (JSON.parse(before.toString()) as StoredSet) : { entry: {}, files: [], alsoNamed: [], retired: [] };

/** The names of all files of a set. */
const namesOf = ({ files, snapshot }: Pick<StoredSet, 'files' | 'snapshot'>): readonly string[] =>
  snapshot === undefined ? files : [...files, snapshot];

/** The files that no set names any more once one has these, and those of them that leave now. */
export const retiredFrom = (
  before: Pick<StoredSet, 'files' | 'snapshot' | 'retired'>,
  names: readonly string[],
  now = new Date(),
) => {
  const expiredAt = new Date(now.getTime() - retiredMilliseconds).toISOString();
  const left = namesOf(before).filter((name) => !names.includes(name));
  const retired = [...before.retired, ...inGroups(now.toISOString(), left)]
    .map(({ at, files }) => ({ at, files: files.filter((name) => !names.includes(name)) }))
    .filter(({ files }) => files.length > 0);
  let room = removedMax;
  const isGone = ({ at, files }: StoredSet['retired'][number]): boolean => {
    if (at > expiredAt || files.length > room) return false;
    room -= files.length;
    return true;
  };
  const gone = retired.filter(isGone);
  const kept = retired.filter((each) => !gone.includes(each));
  return { kept, gone: gone.flatMap(({ files }) => files) };
};

/** What is retired while files wait for the set that names them: they are there, and nobody knows them yet. */
const withWaiting = (
  retired: StoredSet['retired'],
  gone: readonly string[],
  waiting: readonly string[],
): StoredSet['retired'] => [
  ...retired
    .map(({ at, files }) => ({ at, files: files.filter((name) => !gone.includes(name)) }))
    .filter(({ files }) => files.length > 0),
  ...inGroups(new Date().toISOString(), waiting),
];

type KeyOf = (name: string) => ReturnType<typeof generationFileKey>;

/**
 * Stores the files that the set before does not know, and returns the writes that make them known. If the store has lost that set, files may
 * be there already: their bytes are stored again, and no reference is counted twice.
 */
const added = async (
  table: Table,
  { workspaceId }: Repository,
  keyOf: KeyOf,
  { files, isLost }: { readonly files: HashedFiles; readonly isLost: boolean },
): Promise<Write[]> => {
  const found = isLost ? await table.read([...files.keys()].map(keyOf)) : undefined;
  const writes = Array.from(files, async ([name, bytes]) => {
    const [key, blob] = [keyOf(name), await storeBlob(table, workspaceId, fileInMemory(bytes))];
    const before = found?.find(key);
    const old = before && 'blob' in before ? before.blob : undefined;
    if (old?.objectId === blob.objectId) return [];
    return [{ put: { ...key, blob, size: bytes.length } }, referToBlob(blob), ...(old ? releaseBlob(old) : [])];
  });
  return (await Promise.all(writes)).flat();
};

const removed = async (table: Table, keyOf: KeyOf, names: readonly string[]): Promise<Write[]> => {
  const keys = names.map(keyOf);
  const read = await table.read(keys);
  return keys.flatMap((key) => {
    const file = read.find(key);
    return file && 'blob' in file ? [generationFileRemoved(key), ...releaseBlob(file.blob)] : [];
  });
};

/**
 * The documents that name the files of the current set. The first read of a revision makes the set and stores it; its files can be read at
 * once by `findSetFile`, and for three days after the next set. Throws as `currentGeneration`.
 */
export const currentSet = async (
  call: GenerationCall,
  { document, revision, hasSnapshots, make }: WantedSet,
): Promise<EntryDocuments> => {
  const { table, repository } = call;
  const keyOf: KeyOf = (name) => generationFileKey(contentIdOf(repository), document, name);
  const content = await currentGeneration(call, {
    document,
    revision,
    make: async (bytes) => {
      const [before, { files, alsoNamed = [], entry }] = [parsed(bytes), await make()];
      const names = [...files.keys()];
      const isSame = names.join() === before.files.join() && alsoNamed.join() === before.alsoNamed.join();
      if (bytes && isSame) return { content: bytes, writes: [] };
      const known = new Set([...namesOf(before), ...before.retired.flatMap((each) => each.files)]);
      const freshOf = (all: HashedFiles): HashedFiles => new Map(Array.from(all).filter(([name]) => !known.has(name)));
      const writesOf = async (stored: HashedFiles, gone: readonly string[]): Promise<Write[]> => [
        ...(await added(table, repository, keyOf, { files: stored, isLost: !bytes })),
        ...(await removed(table, keyOf, gone)),
      ];
      const fresh = freshOf(files);
      if (fresh.size > addedMax) {
        const { gone } = retiredFrom(before, names);
        const stored = new Map(Array.from(fresh).slice(0, addedMax));
        const step = { ...before, retired: withWaiting(before.retired, gone, [...stored.keys()]) };
        return { content: Buffer.from(JSON.stringify(step)), writes: await writesOf(stored, gone), isStep: true };
      }
      const documents = await entry();
      const snapshot = hasSnapshots && snapshotOf(documents);
      const all = snapshot ? new Map([...files, [snapshot, snapshotBytes(documents)]]) : files;
      const { kept, gone } = retiredFrom(before, [...all.keys()]);
      const next: StoredSet = {
        entry: documents,
        files: names,
        alsoNamed,
        ...(snapshot && { snapshot }),
        retired: kept,
      };
      return { content: Buffer.from(JSON.stringify(next)), writes: await writesOf(freshOf(all), gone) };
    },
  });
  return parsed(content).entry;
};

/** The documents of the set that was made last, of whatever revision; undefined if there is none. */
export const lastSet = async (call: GenerationCall, document: string): Promise<EntryDocuments | undefined> => {
  const content = await lastGeneration(call, document);
  return content && parsed(content).entry;
};

/** A file of the current set, or of one that was current three days ago or later; undefined if no set named it. */
export const findSetFile = async (
  { table, repository }: GenerationCall,
  document: string,
  name: string,
): Promise<GenerationFile | undefined> => {
  const key = generationFileKey(contentIdOf(repository), document, name);
  const file = (await table.read([key])).find(key);
  return file && 'blob' in file ? file : undefined;
};

/** The entry documents of the current set, or of one that was current three days ago or later, by `snapshotOf` them. */
export const findSnapshot = async (
  call: GenerationCall,
  document: string,
  snapshot: string,
): Promise<EntryDocuments | undefined> => {
  const file = await findSetFile(call, document, snapshot);
  const bytes = file && (await readSmallBlob(call.table, file.blob));
  return bytes && (JSON.parse(bytes.toString()) as EntryDocuments);
};
