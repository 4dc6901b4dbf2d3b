import { chunksOf } from '../../shared/chunks.ts';
import { log } from '../../shared/observability/log.ts';
import { FormatProblem, malformed } from '../../shared/packages/formats/format-problem.ts';
import { whileRenewed } from '../../shared/renewal.ts';
import { headObject } from '../../shared/store/objects.ts';
import { stagedFile } from '../../shared/store/received-file.ts';
import { Table } from '../../shared/table/client.ts';
import { queryPages } from '../../shared/table/query-pages.ts';
import {
  endImport,
  ImportTaken,
  importProgress,
  keepImport,
  ownsImport,
  takeImport,
} from '../../shared/table/repositories/advisory-imports.ts';
import type { AdvisoryFeed, AdvisoryImport, ImportProgress } from '../../shared/table/repositories/advisory-items.ts';
import { advisoryFeedKey, advisoryIdShards, advisoryIdsList } from '../../shared/table/repositories/advisory-keys.ts';
import type { Write } from '../../shared/table/writes.ts';
import { listAll } from './advisory-list.ts';
import { type Archive, openArchive } from './archive.ts';
import { later, type OsvEntry, readEntry } from './osv-entry.ts';
import { advisedType } from './types.ts';
import { type ChangedEntry, changedOf, entriesPerWrite, entryTransactions } from './written-entries.ts';

/** The event of the worker. */
export interface ImportRun {
  readonly importId: string;
}

/** The result of a run. */
export type ImportOutcome = 'done' | 'unfinished' | 'refused' | 'replaced' | 'not ours';

/** The time to finish what is begun. */
export const finishMilliseconds = 30_000;

/** After so many entries that changed nothing, a run notes how far it is. */
const entriesPerNote = 1_000;

/** An archive with less than this part of the entries of the last one is refused, unless the request allows it. */
const leastShare = 0.8;

/** A run that holds the lease. */
interface Run {
  readonly table: Table;
  readonly taken: AdvisoryImport;
  readonly archive: Archive;
  readonly hasTime: () => boolean;
}

/** Imports an archive of advisories, or goes on with it where the run before ended. */
export const runImport = async ({ importId }: ImportRun, milliseconds: number): Promise<ImportOutcome> => {
  const stopAt = Date.now() + milliseconds - finishMilliseconds;
  const table = new Table(milliseconds);
  const taken = await takeImport(table, importId);
  if (!taken) return 'not ours';
  try {
    return await whileRenewed(
      async () => keepImport(table, taken),
      async (isLost) => importArchive(table, taken, () => Date.now() < stopAt && !isLost.aborted),
    );
  } finally {
    await keepImport(table, taken, 0).catch(log.bestEffortFailure);
  }
};

const importArchive = async (table: Table, taken: AdvisoryImport, hasTime: () => boolean): Promise<ImportOutcome> => {
  try {
    return await importOwn(table, taken, hasTime);
  } catch (error) {
    if (!(error instanceof ImportTaken) || (await feedOf(table, taken))?.running === taken.importId) throw error;
    await endImport(table, taken, 'replaced');
    return 'replaced';
  }
};

const feedOf = async (table: Table, { packageType }: AdvisoryImport): Promise<AdvisoryFeed | undefined> => {
  const key = advisoryFeedKey(packageType);
  return (await table.read([key])).find(key);
};

/** Throws ImportTaken if a later import of the type has begun, or if another run is at this one. */
const importOwn = async (table: Table, taken: AdvisoryImport, hasTime: () => boolean): Promise<ImportOutcome> => {
  const feed = await feedOf(table, taken);
  if (feed?.running !== taken.importId) throw new ImportTaken();
  try {
    const run = { table, taken, archive: await archiveOf(table, taken, feed.entries ?? 0), hasTime };
    const progress = await inPhases(run);
    if (!progress) return 'unfinished';
    const { entries, newest } = progress;
    const list = await listAll(table, advisedType(taken.packageType), feed);
    await endImport(table, taken, { entries, newest, list });
    return 'done';
  } catch (error) {
    if (!(error instanceof FormatProblem)) throw error;
    await endImport(table, taken, { problem: error.message });
    return 'refused';
  }
};

const archiveOf = async (
  table: Table,
  { objectKey, size, sha256, allowsFewer }: AdvisoryImport,
  before: number,
): Promise<Archive> => {
  if ((await headObject(objectKey, table.signal))?.size !== size)
    throw malformed('The archive is gone: upload it again, and import it within a day.');
  const archive = await openArchive(stagedFile(objectKey, size, { sha256 }, table.signal));
  if (archive.ids.size < before * leastShare && !allowsFewer)
    throw malformed(
      `The archive has ${archive.ids.size} entries, and the last one had ${before}: set allowsFewerEntries if that is right.`,
    );
  return archive;
};

/** Works through the phases that are left; undefined if the time is over before. */
const inPhases = async (run: Run): Promise<ImportProgress | undefined> => {
  const begun: ImportProgress = { ...run.taken, entries: run.archive.ids.size };
  const checked = begun.phase === 'checking' ? await check(run, begun) : begun;
  const written = checked?.phase === 'writing' ? await writeAll(run, checked) : checked;
  return written && removeOthers(run, written);
};

/** Carries out transactions, the last of them with the progress. Throws ImportTaken as `importOwn`. */
const write = async (
  { table, taken }: Run,
  progress: ImportProgress,
  transactions: readonly (readonly Write[])[],
): Promise<void> => {
  const all = transactions.length === 0 ? [[]] : transactions;
  for (const [at, writes] of all.entries()) {
    const own = at === all.length - 1 ? importProgress(taken, progress) : ownsImport(taken);
    if (await table.writeUnrecorded([...writes, ...own])) throw new ImportTaken();
  }
};

/** Reads each entry before anything is written. */
const check = async (run: Run, begun: ImportProgress): Promise<ImportProgress | undefined> => {
  const type = advisedType(run.taken.packageType);
  let { position, newest } = begun;
  for await (const { path, read } of run.archive.from(position)) {
    newest = later(newest, readEntry(await read(), path, type).modified);
    position += 1;
    if (position % entriesPerNote !== 0) continue;
    await write(run, { ...begun, position, newest }, []);
    if (!run.hasTime()) return undefined;
  }
  const next: ImportProgress = { ...begun, phase: 'writing', position: 0, newest };
  await write(run, next, []);
  return next;
};

const writeSome = async (run: Run, progress: ImportProgress, entries: readonly OsvEntry[]): Promise<ImportProgress> => {
  const changed = await changedOf(run.table, run.taken.packageType, entries);
  const next = {
    ...progress,
    position: progress.position + entries.length,
    changed: progress.changed + changed.length,
    unchanged: progress.unchanged + entries.length - changed.length,
  };
  if (changed.length > 0 || next.position % entriesPerNote === 0)
    await write(run, next, await entryTransactions(run.table, run.taken.packageType, changed));
  return next;
};

const writeAll = async (run: Run, begun: ImportProgress): Promise<ImportProgress | undefined> => {
  const type = advisedType(run.taken.packageType);
  let progress = begun;
  let waiting: OsvEntry[] = [];
  for await (const { path, read } of run.archive.from(begun.position)) {
    waiting.push(readEntry(await read(), path, type));
    if (waiting.length < entriesPerWrite) continue;
    progress = await writeSome(run, progress, waiting);
    waiting = [];
    if (!run.hasTime()) return undefined;
  }
  const last = await writeSome(run, progress, waiting);
  const next: ImportProgress = { ...last, phase: 'removing', position: 0 };
  await write(run, next, []);
  return next;
};

/** Removes the entries that the archive has no more. */
const removeOthers = async (run: Run, begun: ImportProgress): Promise<ImportProgress | undefined> => {
  const { packageType } = run.taken;
  let progress = begun;
  for (let shard = begun.position; shard < advisoryIdShards; shard += 1) {
    if (!run.hasTime()) return undefined;
    const gone: ChangedEntry[] = [];
    for await (const items of queryPages(run.table, advisoryIdsList(packageType, shard)))
      for (const { item } of items)
        if (!run.archive.ids.has(item.id)) gone.push({ entry: undefined, id: item.id, before: item.names });
    for (const some of chunksOf(gone, entriesPerWrite)) {
      progress = { ...progress, removed: progress.removed + some.length };
      await write(run, progress, await entryTransactions(run.table, packageType, some));
    }
    progress = { ...progress, position: shard + 1 };
  }
  await write(run, progress, []);
  return progress;
};
