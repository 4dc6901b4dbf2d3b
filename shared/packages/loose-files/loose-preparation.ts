import { ApiError } from '../../errors.ts';
import { Table } from '../../table/client.ts';
import { headOfLooseFiles } from '../../table/packages/head-writes.ts';
import { addLooseBytes } from '../../table/packages/loose-sizes.ts';
import { type PackageRef, packageEntryKey, packageHeadKey } from '../../table/packages/package-keys.ts';
import type { PackageHead } from '../../table/packages/packages.ts';
import { addUsageWithin, usageBegun } from '../../table/packages/usage.ts';
import { leaveLooseFiles, looseDueDate } from '../../table/queues/loose-sweeps.ts';
import { untilSettled } from '../../table/races.ts';
import { contentIdOf, type Repository } from '../../table/repositories/repositories.ts';
import { sameContent } from '../../table/repositories/repository-content.ts';
import type { Refusal, Write } from '../../table/writes.ts';
import { goneError } from '../changes/gone-error.ts';
import type { LoosePublishing, PackagePublication } from '../changes/publication.ts';

/** Whether the sweeper will look at a package a day from now. */
const isPrepared = (head: PackageHead | undefined): boolean => (head?.looseDueAt ?? '') >= looseDueDate();

/**
 * The head and, of a new package, the entry that leads the sweeper to its files should the content end before there is a version. The
 * package keeps its name from upstreams once there is one. In a repository that was emptied, it does so from the beginning, because
 * the sweeper leaves a head that is there as it is when it takes over the names of the earlier content.
 */
const headWrites = (
  { earlierContents = new Set() }: Repository,
  ref: PackageRef,
  displayName: string,
  head: PackageHead | undefined,
  dueAt: string,
): Write[] => {
  const keepsName = earlierContents.size > 0;
  const entry = { ...packageEntryKey(ref), displayName, isEmpty: true, ...(!keepsName && { isUnpublished: true }) };
  return [
    headOfLooseFiles(ref, head, { displayName, dueAt, keepsName, now: new Date().toISOString() }),
    ...(head ? [] : [{ put: entry }]),
  ];
};

/** The maximum time of one try. After a conflict, another request may have done it. */
const tryMilliseconds = 1_000;

const writeOnce = async (table: Table, writes: readonly Write[]): Promise<Refusal | 'written' | 'busy'> => {
  try {
    return (await new Table(tryMilliseconds, table).writeUnrecorded(writes)) ?? 'written';
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE') || table.signal.aborted) throw error;
    return 'busy';
  }
};

/**
 * Does once an hour what files of no version need of their package, so that each of them is stored without a write that they
 * all share: it makes the head and the shards of the usage, and queues the package for the sweeper. `isForced` does so at any
 * time. Throws REPOSITORY_NOT_FOUND, and SERVICE_UNAVAILABLE if the repository was emptied.
 */
const prepareLooseFiles = async (
  table: Table,
  repository: Repository,
  ref: PackageRef,
  { displayName, head, isForced = false }: { displayName: string; head: PackageHead | undefined; isForced?: boolean },
): Promise<void> => {
  if (!isForced && isPrepared(head)) return;
  const key = packageHeadKey(ref);
  const read = async (): Promise<PackageHead | undefined> => (await table.read([key])).find(key);
  let known = head;
  await untilSettled(table, async () => {
    const dueAt = looseDueDate();
    const writes = [
      sameContent(repository),
      ...headWrites(repository, ref, displayName, known, dueAt),
      leaveLooseFiles(repository, ref, dueAt),
      ...(known && !isForced ? [] : usageBegun(ref.contentId)),
    ];
    const refusal = await writeOnce(table, writes);
    if (refusal === 'written') return true;
    if (refusal !== 'busy' && refusal[0]) throw goneError(repository, refusal, 'SERVICE_UNAVAILABLE');
    known = await read();
    return isPrepared(known) || undefined;
  });
};

/** Publishes files of no version: each one writes only what is its own, and shards. */
export const looseFiles = (publication: PackagePublication): LoosePublishing => {
  const { repository, name, displayName } = publication;
  const ref = { contentId: contentIdOf(repository), name };
  return {
    prepare: async (table, head, isForced = false) =>
      prepareLooseFiles(table, repository, ref, { displayName, head, isForced }),
    writes: (added) => {
      const usage = { ...added, packages: 0 };
      const [ofWorkspace, ofContent] = addUsageWithin(repository.workspaceId, ref.contentId, usage);
      return [
        { step: 'usage', write: ofContent },
        { step: 'content', write: ofWorkspace },
        { step: 'content', write: addLooseBytes(ref, added.bytes) },
      ];
    },
  };
};
