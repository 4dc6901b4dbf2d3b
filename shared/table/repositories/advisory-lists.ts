import { gunzipSync, gzipSync } from 'node:zlib';
import type { PackageType } from '../../package-types.ts';
import type { Key } from '../keys.ts';
import type { ReadingTable } from '../reading-table.ts';
import type { Write } from '../writes.ts';
import type { Advisory } from './advisories.ts';
import type { AdvisoryFeed, AdvisoryListPart, FeedList } from './advisory-items.ts';
import { advisoryListKey } from './advisory-keys.ts';

/** The part of an advisory that a client needs which compares its packages itself. */
export type ListedAdvisory = Pick<Advisory, 'id' | 'kind' | 'severity' | 'versions' | 'ranges'>;

/** All advisories of a type, by the names of packages. */
export type AdvisoryList = readonly (readonly [name: string, advisories: readonly ListedAdvisory[]])[];

/** An item has at most 400 kB, and a transaction, which writes a list, 4 MB. */
const partBytesMax = 350_000;
const partsMax = 10;

const keysOf = (packageType: PackageType, list: FeedList | undefined): readonly Key<AdvisoryListPart>[] =>
  list === undefined
    ? []
    : Array.from({ length: list.parts }, (_, part) => advisoryListKey(packageType, list.updatedAt, part));

/** A list that can be written, and what leads to it. */
export interface NewList {
  readonly lists: AdvisoryFeed['lists'];
  readonly writes: readonly Write[];
}

/** A list in the place of that of a feed, which stays until the next one comes: a request may be reading it. Undefined if it is too large. */
export const newList = (
  packageType: PackageType,
  feed: AdvisoryFeed | undefined,
  advisories: AdvisoryList,
): NewList | undefined => {
  const content = gzipSync(JSON.stringify(advisories));
  const list = { updatedAt: new Date().toISOString(), parts: Math.ceil(content.length / partBytesMax) };
  if (list.parts > partsMax) return undefined;
  const [current, before] = feed?.lists ?? [];
  const contentOf = (part: number) => content.subarray(part * partBytesMax, (part + 1) * partBytesMax);
  return {
    lists: [list, ...(current ? [current] : [])],
    writes: [
      ...keysOf(packageType, list).map((key, part) => ({ put: { ...key, content: contentOf(part) } })),
      ...keysOf(packageType, before).map((key) => ({ remove: key })),
    ],
  };
};

/** Reads a list to which a feed led a moment ago. */
export const readList = async (
  table: ReadingTable,
  packageType: PackageType,
  list: FeedList,
): Promise<AdvisoryList> => {
  const keys = keysOf(packageType, list);
  const read = await table.read(keys);
  const parts = keys.flatMap((key) => read.find(key)?.content ?? []);
  if (parts.length < keys.length) throw new Error('Two lists of advisories have come since the feed was read.');
  return JSON.parse(gunzipSync(Buffer.concat(parts)).toString()) as AdvisoryList;
};
