import { entriesOf, loadIndex, readIndex } from '../../shared/packages/index/package-index.ts';
import { blobObjectKey } from '../../shared/store/keys.ts';
import { Table } from '../../shared/table/client.ts';
import { type Blob, type BlobRef, isInItem } from '../../shared/table/packages/blobs.ts';
import type { IndexHead } from '../../shared/table/packages/package-index.ts';
import { unescaped } from '../../shared/table/packages/package-keys.ts';
import {
  noVersion,
  type PackageEntry,
  type PackageFile,
  type PackageHead,
  type PackageVersion,
  tagsOf,
} from '../../shared/table/packages/packages.ts';
import { sumOf, type Usage, type UsageShard } from '../../shared/table/packages/usage.ts';
import type { BlobSweep, ContentSweep } from '../../shared/table/queues/content-sweeps.ts';
import type { LooseSweep } from '../../shared/table/queues/loose-sweeps.ts';
import { contentIdOf, type Repository } from '../../shared/table/repositories/repositories.ts';
import { brokenLooseFiles } from './images.ts';
import { storedObjects } from './object-store.ts';
import type { Service } from './service.ts';
import { snapshot } from './snapshot.ts';

/** An item of the table, with the parts of its key. */
interface Stored {
  readonly pk: readonly string[];
  readonly sk: string;
  readonly item: unknown;
}

/** Everything of packages that the table and the object store hold. */
interface Holdings {
  readonly items: readonly Stored[];
  readonly objects: ReadonlySet<string>;
}

/** The kinds of items: the beginning of the partition key, and that of the sort key. */
interface Kinds {
  'WORKSPACE WORKSPACE': object;
  'WORKSPACE REPOSITORY#': Repository;
  'PACKAGE ': { readonly blob?: BlobRef; readonly snapshot?: BlobRef; readonly deletedAt?: string };
  'PACKAGE INDEX': PackageHead;
  'PACKAGE VERSION#': PackageVersion;
  'PACKAGE FILE#': PackageFile;
  'PACKAGE SIZE#': { readonly bytes?: number };
  'PACKAGES ': PackageEntry;
  'INDEX ': { readonly snapshot?: BlobRef; readonly blob?: never };
  'INDEX INDEX': IndexHead;
  'BLOB ': Blob;
  'USAGE ': UsageShard;
  'SWEEPCONTENT ': ContentSweep;
  'SWEEPBLOBS ': BlobSweep;
  'SWEEPLOOSE ': LooseSweep;
}

/** The items of a kind. */
const of = <Kind extends keyof Kinds>(items: readonly Stored[], kind: Kind) => {
  const [partition = '', prefix = ''] = kind.split(' ');
  return items
    .filter(({ pk, sk }) => pk[0] === partition && sk.startsWith(prefix))
    .map(({ pk, sk, item }) => ({ pk, sk: sk.slice(prefix.length), item: item as Kinds[Kind] }));
};

const isLive = ({ item }: { readonly item: { readonly deletedAt?: string } }): boolean => item.deletedAt === undefined;

/** The workspace of each content that somebody can reach, or that waits for the sweeper, and of what virtual repositories signed. */
const contentsIn = (items: readonly Stored[]) => {
  const repositories = of(items, 'WORKSPACE REPOSITORY#').map(({ item }) => item);
  const idsOf = (some: typeof repositories) => some.map((each) => [contentIdOf(each), each.workspaceId] as const);
  const reachable = new Map(idsOf(repositories.filter(({ repositoryType }) => repositoryType !== 'virtual')));
  const waiting = of(items, 'SWEEPCONTENT ').map(({ sk, item }) => [sk, item.workspaceId] as const);
  const all = new Map([...reachable, ...waiting]);
  return { reachable, all, withVirtual: new Map([...idsOf(repositories), ...waiting]) };
};

/** How often files and indexes refer to each life of a blob. */
const referencesIn = (items: readonly Stored[], workspaceOf: ReadonlyMap<string, string>): Map<string, number> => {
  const referring = [...of(items, 'PACKAGE ').filter(isLive), ...of(items, 'INDEX ')];
  const counts = new Map<string, number>();
  for (const { pk, item } of referring)
    for (const blob of [item.blob, item.snapshot].filter((each) => each !== undefined)) {
      const key = blobObjectKey({ ...blob, workspaceId: workspaceOf.get(pk[1] ?? '') ?? '' });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return counts;
};

const brokenBlobs = ({ items, objects }: Holdings): string[] => {
  const references = referencesIn(items, contentsIn(items).withVirtual);
  const due = new Map(of(items, 'SWEEPBLOBS ').map(({ sk, item }) => [sk, item]));
  const known = new Map<string, Blob>();
  for (const { pk, item } of of(items, 'BLOB ')) known.set(blobObjectKey({ ...item, workspaceId: pk[1] ?? '' }), item);
  const isDue = (key: string, { dueAt, sha256 }: Blob): boolean => due.has(`${dueAt}#${key.split('/')[1]}#${sha256}`);
  const isEnded = (key: string): boolean =>
    [...due.values()].some(({ objectId }) => objectId && key.endsWith(objectId));
  return [
    ...[...references.keys()].filter((key) => !known.has(key)).map((key) => `lost: nothing knows the blob ${key}`),
    ...[...known].flatMap(([key, blob]) => {
      const counted = references.get(key) ?? 0;
      return [
        blob.references === counted ? [] : [`${key} counts ${blob.references} references and has ${counted}`],
        counted > 0 && blob.state !== 'live' ? [`${key} is referred to and ${blob.state}`] : [],
        blob.state === 'live' && !blob.content && !objects.has(key) ? [`lost: ${key} has no object`] : [],
        blob.content && !isInItem(blob) ? [`garbage: the item of ${key} has bytes of another life`] : [],
        counted === 0 && !isDue(key, blob) ? [`garbage: the sweeper will never look at ${key}`] : [],
      ].flat();
    }),
    ...[...objects].filter((key) => !known.has(key) && !isEnded(key)).map((key) => `orphan: the object ${key}`),
  ];
};

const same = (what: string, found: unknown, expected: unknown): string[] => {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  return one === other ? [] : [`${what} is ${one} and should be ${other}`];
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** What is wrong with one package: its head, its versions, its files and its index must say the same. */
const brokenPackage = async (
  [contentId = '', name = '']: readonly string[],
  items: readonly Stored[],
  entry: PackageEntry | undefined,
  isQueued: boolean,
): Promise<string[]> => {
  const what = `${contentId} ${name}`;
  const head = of(items, 'PACKAGE INDEX').find(({ sk }) => sk === '')?.item;
  const versions = of(items, 'PACKAGE VERSION#').filter(isLive);
  const files = of(items, 'PACKAGE FILE#').filter(isLive);
  const filesOf = (version: string) => files.filter(({ item }) => item.version === version).map(({ item }) => item);
  const looseBytes = sum(of(items, 'PACKAGE SIZE#').map(({ item }) => item.bytes ?? 0));
  const names = versions.map(({ item }) => item.version).toSorted();
  const index = await loadIndex(new Table(), { contentId, name: unescaped(name) });
  const isIndexed = items.some(({ sk }) => sk.startsWith('INDEX#')) || head?.snapshot !== undefined;
  // What is remembered of an upstream for some time needs no head, nor does a document of it.
  const isOfUpstream = ({ sk, item }: Stored) => sk.startsWith('CACHE#') || Object.hasOwn(item as object, 'expiresAt');
  const lasting = items.filter((each) => !isOfUpstream(each));
  if (!head) return same(`${what}: items without a head`, lasting.length, 0);
  return [
    ...same(`${what}: versionCount`, head.versionCount, names.length),
    ...same(`${what}: sizeInBytes`, head.sizeInBytes + looseBytes, sum(files.map(({ item }) => item.size))),
    ...same(`${what}: isEmpty of its entry`, entry?.isEmpty ?? false, names.length === 0),
    ...(isIndexed ? same(`${what}: the index`, [...(index?.entries.keys() ?? [])].toSorted(), names) : []),
    ...[head.newestVersion, ...Object.values(tagsOf(head))]
      .filter((version) => version !== undefined && !names.includes(version))
      .map((version) => `${what}: something names ${version}, which is not there`),
    ...versions.flatMap(({ item: { version, fileCount, sizeInBytes } }) =>
      [
        same(`${what} ${version}: files`, fileCount, filesOf(version).length),
        same(`${what} ${version}: bytes`, sizeInBytes, sum(filesOf(version).map(({ size }) => size))),
        fileCount === 0 ? [`${what} ${version} is visible without a file`] : [],
      ].flat(),
    ),
    ...files
      .filter(({ item }) => item.version !== noVersion && !names.includes(item.version))
      .map(({ item }) => `${what}: ${item.file} of ${item.version} is there without its version`),
    ...brokenLooseFiles(
      what,
      files.map(({ item }) => item),
      index,
      isQueued,
    ),
  ];
};

/** What is wrong with the index of a repository: it must have the live versions of the packages that say that they are in it. */
const brokenRepositoryIndex = async (contentId: string, items: readonly Stored[]): Promise<string[]> => {
  const ofContent = <Kind extends keyof Kinds>(kind: Kind) => of(items, kind).filter(({ pk }) => pk[1] === contentId);
  const heads = ofContent('PACKAGE INDEX').filter(({ item }) => item.indexedIn === 'repository');
  const names = new Set(heads.map(({ pk }) => pk.slice(2).join('#')));
  const isListed = ({ pk, item: { indexes } }: { readonly pk: readonly string[]; readonly item: PackageVersion }) =>
    indexes ? 'repository' in indexes : names.has(pk.slice(2).join('#'));
  const versions = ofContent('PACKAGE VERSION#').filter((each) => isLive(each) && isListed(each));
  const found = await readIndex(new Table(), { contentId });
  const entries = found ? [...(await entriesOf(new Table(), found)).values()] : [];
  return same(
    `the index of ${contentId}`,
    entries.flatMap(({ version, isRemoved }) => (isRemoved ? [] : [version])).toSorted(),
    versions.map(({ pk, item }) => `${unescaped(pk.slice(2).join('#'))} ${item.version}`).toSorted(),
  );
};

const brokenUsage = ({ items }: Holdings): string[] => {
  const { reachable, all } = contentsIn(items);
  const shards = Map.groupBy(of(items, 'USAGE '), ({ pk }) => pk[1] ?? '');
  const usageOf = (scope: string): Usage => sumOf((shards.get(scope) ?? []).map(({ item }) => item));
  const actual = (contentId: string): Usage => {
    const files = of(items, 'PACKAGE FILE#').filter((each) => each.pk[1] === contentId && isLive(each));
    const heads = of(items, 'PACKAGE INDEX').filter(({ pk, sk }) => pk[1] === contentId && sk === '');
    return {
      bytes: sum(files.map(({ item }) => item.size)),
      files: files.length,
      packages: heads.filter(({ item }) => item.versionCount > 0).length,
    };
  };
  const entryBytes = (id: string, found: readonly { pk: readonly string[]; item: { entryBytes?: number } }[]): number =>
    sum(found.map(({ pk, item }) => (pk[1] === id ? (item.entryBytes ?? 0) : 0)));
  const versions = of(items, 'PACKAGE VERSION#');
  const heads = [...of(items, 'PACKAGE INDEX'), ...of(items, 'INDEX INDEX')].filter(({ sk }) => sk === '');
  const brokenEntries = (id: string): string[] => {
    const counted = [entryBytes(id, of(items, 'USAGE ')), entryBytes(id, heads)];
    const actually = entryBytes(id, versions);
    return same(`the size of the entries of ${id}, in its usage and its indexes,`, counted, [actually, actually]);
  };
  const byWorkspace = Map.groupBy(all, ([, workspaceId]) => workspaceId);
  return [
    ...[...reachable.keys()].flatMap((id) =>
      same(`the usage of ${id}`, usageOf(id), actual(id)).concat(brokenEntries(id)),
    ),
    ...[...byWorkspace].flatMap(([id, contents]) =>
      same(`the usage of the workspace ${id}`, usageOf(id), sumOf(contents.map(([contentId]) => usageOf(contentId)))),
    ),
  ];
};

/**
 * Everything that is wrong with what is stored: bytes that are lost or that nobody would ever delete, versions that are half
 * visible, counts and usages that are not those of what is there.
 */
export const brokenContent = async (service: Pick<Service, 'runner'>): Promise<string[]> => {
  const objects = await storedObjects(service);
  const items = Array.from((await snapshot()).values(), (item) => ({ pk: item.pk.split('#'), sk: item.sk, item }));
  const { reachable, withVirtual } = contentsIn(items);
  const known = new Set([...withVirtual.keys(), ...of(items, 'WORKSPACE WORKSPACE').map(({ pk }) => pk[1] ?? '')]);
  const ofPackages = items.filter(({ pk: [kind = ''] }) => ['PACKAGE', 'PACKAGES', 'INDEX', 'USAGE'].includes(kind));
  const packages = Map.groupBy(of(items, 'PACKAGE '), ({ pk }) => pk.slice(1).join('#'));
  const entries = new Map(of(items, 'PACKAGES ').map(({ pk, sk, item }) => [`${pk[1]}#${sk}`, item]));
  const queued = new Set(of(items, 'SWEEPLOOSE ').map(({ sk }) => sk.slice(sk.indexOf('#') + 1)));
  const visible = [...packages].filter(([key]) => reachable.has(key.split('#')[0] ?? ''));
  const ofEach = await Promise.all(
    visible.map(async ([key, stored]) => brokenPackage(key.split('#'), stored, entries.get(key), queued.has(key))),
  );
  const ofIndexes = await Promise.all(
    Array.from(reachable.keys(), async (contentId) => brokenRepositoryIndex(contentId, items)),
  );
  return [
    ...ofIndexes.flat(),
    ...ofPackages.filter(({ pk }) => !known.has(pk[1] ?? '')).map(({ pk, sk }) => `orphan: ${pk.join('#')} ${sk}`),
    ...brokenBlobs({ items, objects }),
    ...ofEach.flat(),
    ...brokenUsage({ items, objects }),
  ];
};

/** What of packages is left: items and objects. */
export const remains = async (service: Pick<Service, 'runner'>): Promise<string[]> => {
  const kinds = new Set(['PACKAGE', 'PACKAGES', 'INDEX', 'BLOB', 'SWEEPBLOBS', 'SWEEPCONTENT', 'SWEEPLOOSE']);
  const isLeft = (key: string): boolean => kinds.has(key.split(/[#\n]/)[0] ?? '');
  return [...[...(await snapshot()).keys()].filter(isLeft), ...(await storedObjects(service))];
};
