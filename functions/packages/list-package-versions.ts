import { endpoint } from '../../shared/http/endpoint.ts';
import { listEntriesMax } from '../../shared/limits.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { queryMerged } from '../../shared/table/merged-lists.ts';
import { versionsList } from '../../shared/table/packages/package-keys.ts';
import { isLive, type PackageVersion } from '../../shared/table/packages/packages.ts';
import type { Positioned } from '../../shared/table/reading-table.ts';
import { listPackageVersions } from './contracts.ts';
import { findHolders, type Holder } from './holders.ts';
import { listedVersion } from './records.ts';

/** The maximum number of versions in one query: the largest page, and one more that shows whether there is a next page. */
const versionsPerQuery = 1_001;

const isShown = (holder: Holder | undefined, { version }: PackageVersion): boolean =>
  holder !== undefined &&
  readable(holder.source, { kind: 'version', name: holder.ref.name, version }, version) !== undefined;

export const handler = endpoint(
  listPackageVersions,
  async (call) => {
    const { table, page } = call;
    const holders = await findHolders(call);
    const lists = holders.map(({ ref }) => versionsList(ref));
    const wanted = (page.limit ?? listEntriesMax) + 1;
    const entries: Positioned<ReturnType<typeof listedVersion>>[] = [];
    let { after } = page;
    do {
      const limit = Math.min(versionsPerQuery, wanted - entries.length);
      const merged = await queryMerged(table, lists, { after, limit });
      for (const { position, items } of merged.entries) {
        const at = items.findIndex((item, holder) => isLive(item) && isShown(holders[holder], item));
        const [holder, version] = [holders[at], items[at]];
        if (holder && version) entries.push({ position, item: listedVersion(call.caller, holder.ref, version) });
      }
      after = merged.next;
    } while (after !== undefined && entries.length < wanted);
    const shown = entries.slice(0, wanted - 1);
    return { entries: shown, next: entries.length >= wanted ? shown.at(-1)?.position : undefined };
  },
  { alsoRead: alsoReadSources },
);
