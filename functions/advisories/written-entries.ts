import type { PackageType } from '../../shared/package-types.ts';
import type { Table } from '../../shared/table/client.ts';
import type { Advisory, AdvisoryPage } from '../../shared/table/repositories/advisories.ts';
import type { AdvisorySource } from '../../shared/table/repositories/advisory-items.ts';
import { advisoryIdKey } from '../../shared/table/repositories/advisory-keys.ts';
import {
  advisoriesOn,
  advisoryWrites,
  everyPage,
  everyPageKey,
  pagesMax,
} from '../../shared/table/repositories/advisory-pages.ts';
import type { Write } from '../../shared/table/writes.ts';
import type { OsvEntry } from './osv-entry.ts';

/** An entry that changed, with the names that it was on before. */
export interface ChangedEntry {
  /** Undefined: the archive has it no more. */
  readonly entry: OsvEntry | undefined;
  readonly id: string;
  readonly before: readonly string[];
}

/** So many entries are written together: with their names, most fit into one transaction. */
export const entriesPerWrite = 40;

/** An earlier release may have read other names in an entry that has not changed since. */
const isAsWritten = ({ modified, names }: AdvisorySource, entry: OsvEntry): boolean =>
  modified === entry.modified && names.toSorted().join('\n') === [...entry.byName.keys()].toSorted().join('\n');

/** The entries that are not in the table as they are, with the names that they were on. */
export const changedOf = async (
  table: Table,
  packageType: PackageType,
  entries: readonly OsvEntry[],
): Promise<readonly ChangedEntry[]> => {
  const keyOf = ({ id }: OsvEntry) => advisoryIdKey(packageType, id);
  const known = await table.read(entries.map(keyOf));
  return entries.flatMap((entry) => {
    const before = known.find(keyOf(entry));
    return before && isAsWritten(before, entry) ? [] : [{ entry, id: entry.id, before: before?.names ?? [] }];
  });
};

const namesOf = ({ entry, before }: ChangedEntry): readonly string[] => [...(entry?.byName.keys() ?? []), ...before];

/** The advisories on a name after some entries changed. */
const after = (pages: readonly AdvisoryPage[], name: string, changed: readonly ChangedEntry[]): readonly Advisory[] => {
  const ids = new Set(changed.map(({ id }) => id));
  return [
    ...advisoriesOn(pages).filter(({ id }) => !ids.has(id)),
    ...changed.flatMap(({ entry }) => entry?.byName.get(name) ?? []),
  ];
};

const sourceOf = (packageType: PackageType, { id, entry }: ChangedEntry): Write => {
  const key = advisoryIdKey(packageType, id);
  if (!entry) return { remove: key };
  const source: AdvisorySource = { id, modified: entry.modified, names: [...entry.byName.keys()] };
  return { put: { ...key, ...source } };
};

/** An entry that is being replaced: a run that ends now leaves all names that it may be on. */
const unfinished = (packageType: PackageType, changed: ChangedEntry): Write => {
  const source: AdvisorySource = { id: changed.id, modified: '', names: [...new Set(namesOf(changed))] };
  return { put: { ...advisoryIdKey(packageType, changed.id), ...source } };
};

/** What one transaction takes, with the check or the progress of its run beside it, and half of the bytes that it may have. */
const actionsMax = pagesMax;
const bytesMax = 2_500_000;

const bytesOf = (writes: readonly Write[]): number => Buffer.byteLength(JSON.stringify(writes));

/** Puts groups of writes into transactions. The writes of a group stay together. */
const inTransactions = (groups: readonly (readonly Write[])[]): readonly (readonly Write[])[] => {
  const transactions: Write[][] = [];
  let bytes = 0;
  for (const group of groups) {
    const last = transactions.at(-1);
    const size = bytesOf(group);
    if (last && last.length + group.length <= actionsMax && bytes + size <= bytesMax) {
      last.push(...group);
      bytes += size;
    } else {
      transactions.push([...group]);
      bytes = size;
    }
  }
  return transactions;
};

/**
 * The transactions after which some entries that changed are in the table, in their order. What fits into one is one. Otherwise a run that
 * ends between two of them leaves entries that count as changed for the next one.
 */
export const entryTransactions = async (
  table: Table,
  packageType: PackageType,
  changed: readonly ChangedEntry[],
): Promise<readonly (readonly Write[])[]> => {
  const names = [...new Set(changed.flatMap(namesOf))].toSorted();
  const loaded = await table.readWanted((soFar) => names.flatMap((name) => everyPageKey(packageType, name, soFar)));
  const ofNames = names.map((name) => {
    const pages = everyPage(packageType, name, loaded);
    return advisoryWrites(packageType, name, after(pages, name, changed), pages.length);
  });
  const sources = changed.map((each) => [sourceOf(packageType, each)]);
  const atOnce = inTransactions([...ofNames, ...sources]);
  if (atOnce.length <= 1) return atOnce;
  return inTransactions([...changed.map((each) => [unfinished(packageType, each)]), ...ofNames, ...sources]);
};
