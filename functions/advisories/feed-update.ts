import { chunksOf } from '../../shared/chunks.ts';
import { log } from '../../shared/observability/log.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { FormatProblem } from '../../shared/packages/formats/format-problem.ts';
import { Table } from '../../shared/table/client.ts';
import { rememberNothing } from '../../shared/table/creations.ts';
import { endUpdate, takeFeed } from '../../shared/table/repositories/advisory-feeds.ts';
import { insertImport, isRunning } from '../../shared/table/repositories/advisory-imports.ts';
import type { AdvisoryFeed } from '../../shared/table/repositories/advisory-items.ts';
import { advisoryIdKey } from '../../shared/table/repositories/advisory-keys.ts';
import { UpstreamError } from '../../shared/upstream/upstream-error.ts';
import { listAll } from './advisory-list.ts';
import { later, type OsvEntry, readEntry } from './osv-entry.ts';
import { type ListedEntry, OsvFeed } from './osv-feed.ts';
import { finishMilliseconds, type ImportOutcome, runImport } from './running-import.ts';
import { advisedType } from './types.ts';
import { changedOf, entriesPerWrite, entryTransactions } from './written-entries.ts';

/** The event of the schedule. */
export interface FeedUpdate {
  readonly packageType: PackageType;
}

/** A list may show a change some time after it was made: what was changed so long before the newest one is looked at again. */
const overlapMilliseconds = 6 * 3_600_000;

interface Update {
  readonly table: Table;
  readonly packageType: PackageType;
  readonly feed: OsvFeed;
  readonly until: number;
}

/**
 * Brings what is known of a type up to date with what changed at osv.dev, or imports the whole archive where nothing was imported yet, or
 * too much changed. An import that is going on is continued instead.
 */
export const updateFeed = async ({ packageType }: FeedUpdate, milliseconds: number): Promise<ImportOutcome> => {
  const until = Date.now() + milliseconds;
  const table = new Table(milliseconds);
  const running = await takeFeed(table, packageType);
  if (running.kind === 'import') return runImport({ importId: running.id }, milliseconds);
  const update = { table, packageType, feed: new OsvFeed(advisedType(packageType).ecosystem, table.signal), until };
  const { id, before } = running;
  if (before?.newest === undefined) return importAll(update);
  const listed = await update.feed.changedSince(Date.parse(before.newest) - overlapMilliseconds);
  return listed ? writeListed(update, id, { listed, before, newest: before.newest }) : importAll(update);
};

/** Imports the archive of all entries. */
const importAll = async ({ table, packageType, feed, until }: Update): Promise<ImportOutcome> => {
  const { key, size, hashes } = await feed.archive();
  const fields = {
    packageType,
    allowsFewer: false,
    objectKey: key,
    size,
    sha256: hashes.sha256 ?? '',
    createdBy: null,
  };
  const begun = await insertImport(table, fields, rememberNothing);
  if (begun === 'key reused') throw new Error('Nothing was remembered.');
  return runImport(begun, until - Date.now());
};

/** What changed, and the feed with the latest change that was known before. */
interface Changes {
  readonly listed: readonly ListedEntry[];
  readonly before: AdvisoryFeed;
  readonly newest: string;
}

/** Writes the listed entries that are not known as they are, the oldest first. */
const writeListed = async (
  { table, packageType, feed, until }: Update,
  running: string,
  { listed, before, newest }: Changes,
): Promise<ImportOutcome> => {
  const own = isRunning(packageType, running);
  // What did not end may have changed something.
  let isChanged = before.running !== '' || before.lists === undefined;
  for (const some of chunksOf(await unknownOf(table, packageType, listed), entriesPerWrite)) {
    if (Date.now() > until - finishMilliseconds) return 'unfinished';
    const read = await Promise.all(some.map(async ({ id }) => entryOf(feed, id, packageType)));
    const changed = await changedOf(
      table,
      packageType,
      read.filter((entry) => entry !== undefined),
    );
    isChanged ||= changed.length > 0;
    for (const writes of await entryTransactions(table, packageType, changed))
      if (await table.writeUnrecorded([...writes, own])) return 'replaced';
  }
  const [first] = listed;
  const last = first ? later(newest, new Date(Math.min(first.modified, Date.now())).toISOString()) : newest;
  const list = isChanged ? await listAll(table, advisedType(packageType), before) : undefined;
  return (await endUpdate(table, packageType, running, { newest: last, list })) ? 'done' : 'replaced';
};

/** The listed entries that are not known as of this time, the oldest first. */
const unknownOf = async (
  table: Table,
  packageType: PackageType,
  listed: readonly ListedEntry[],
): Promise<readonly ListedEntry[]> => {
  const keyOf = ({ id }: ListedEntry) => advisoryIdKey(packageType, id);
  const known = await table.read(listed.map(keyOf));
  return listed.filter((entry) => Date.parse(known.find(keyOf(entry))?.modified ?? '') !== entry.modified).toReversed();
};

/** An entry; undefined if it cannot be used, which must not keep the others out. The next archive brings it. */
const entryOf = async (feed: OsvFeed, id: string, packageType: PackageType): Promise<OsvEntry | undefined> => {
  try {
    return readEntry(await feed.entry(id), `${id}.json`, advisedType(packageType));
  } catch (error) {
    if (!(error instanceof FormatProblem || (error instanceof UpstreamError && error.status === 404))) throw error;
    log.bestEffortFailure(error);
    return undefined;
  }
};
