import { endpoint } from '../../shared/http/endpoint.ts';
import { listEntriesMax } from '../../shared/limits.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import type { Table } from '../../shared/table/client.ts';
import { queryMerged } from '../../shared/table/merged-lists.ts';
import { versionsList } from '../../shared/table/packages/package-keys.ts';
import { isLive, type PackageVersion } from '../../shared/table/packages/packages.ts';
import type { Positioned } from '../../shared/table/reading-table.ts';
import { listPackageVersions } from './contracts.ts';
import { findHolders, type Holder } from './holders.ts';
import { listGates, type VersionGate } from './kept-gates.ts';
import { listedVersion } from './records.ts';

/** The maximum number of versions in one query: the largest page, and one more that shows whether there is a next page. */
const versionsPerQuery = 1_001;

const isShown = (holder: Holder | undefined, { version }: PackageVersion): boolean =>
  holder !== undefined &&
  readable(holder.source, { kind: 'version', name: holder.ref.name, version }, version) !== undefined;

/** A version that is listed, and who has it. */
interface Shown {
  readonly holder: Holder;
  readonly item: PackageVersion;
}

/** What is decided about the versions of a page. Each repository decides about its own. */
const gatesOf = async (table: Table, shown: readonly Shown[]): Promise<ReadonlyMap<PackageVersion, VersionGate>> => {
  const found = new Map<PackageVersion, VersionGate>();
  for (const [{ source, ref }, some] of Map.groupBy(shown, ({ holder }) => holder)) {
    const items = some.map(({ item }) => item);
    const gates = await listGates(table, source, ref.name, items);
    for (const [at, item] of items.entries()) found.set(item, gates[at] ?? null);
  }
  return found;
};

export const handler = endpoint(
  listPackageVersions,
  async (call) => {
    const { table, page, caller } = call;
    const holders = await findHolders(call);
    const lists = holders.map(({ ref }) => versionsList(ref));
    const wanted = (page.limit ?? listEntriesMax) + 1;
    const entries: Positioned<Shown>[] = [];
    let { after } = page;
    do {
      const limit = Math.min(versionsPerQuery, wanted - entries.length);
      const merged = await queryMerged(table, lists, { after, limit });
      for (const { position, items } of merged.entries) {
        const at = items.findIndex((item, holder) => isLive(item) && isShown(holders[holder], item));
        const [holder, item] = [holders[at], items[at]];
        if (holder && item) entries.push({ position, item: { holder, item } });
      }
      after = merged.next;
    } while (after !== undefined && entries.length < wanted);
    const shown = entries.slice(0, wanted - 1);
    const next = entries.length >= wanted ? shown.at(-1)?.position : undefined;
    const gates = await gatesOf(
      table,
      shown.map(({ item }) => item),
    );
    const record = ({ holder, item }: Shown) => listedVersion(caller, holder.ref, item, gates.get(item) ?? null);
    return { entries: shown.map(({ position, item }) => ({ position, item: record(item) })), next };
  },
  { alsoRead: alsoReadSources },
);
