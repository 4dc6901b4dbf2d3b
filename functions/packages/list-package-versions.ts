import { endpoint } from '../../shared/http/endpoint.ts';
import { listEntriesMax } from '../../shared/limits.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import type { Table } from '../../shared/table/client.ts';
import { queryShown } from '../../shared/table/merged-lists.ts';
import { versionsList } from '../../shared/table/packages/package-keys.ts';
import { isLive, type PackageVersion } from '../../shared/table/packages/packages.ts';
import { listPackageVersions } from './contracts.ts';
import { findHolders, type Holder } from './holders.ts';
import { listGates, type VersionGate } from './kept-gates.ts';
import { pageReach } from './listing.ts';
import { listedVersion } from './records.ts';

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
    // A list that nobody asks for in pages is whole.
    const [limit, reach] =
      page.limit === undefined ? [listEntriesMax, Number.POSITIVE_INFINITY] : [page.limit, pageReach];
    const { entries, next } = await queryShown(
      table,
      lists,
      { after: page.after, limit, reach },
      ({ items }): Shown | undefined => {
        const at = items.findIndex((item, holder) => isLive(item) && isShown(holders[holder], item));
        const [holder, item] = [holders[at], items[at]];
        return holder && item && { holder, item };
      },
    );
    const gates = await gatesOf(
      table,
      entries.map(({ item }) => item),
    );
    const record = ({ holder, item }: Shown) => listedVersion(caller, holder.ref, item, gates.get(item) ?? null);
    return { entries: entries.map(({ position, item }) => ({ position, item: record(item) })), next };
  },
  { alsoRead: alsoReadSources },
);
