import type { Table } from '../client.ts';
import { looseSweepKey, looseSweepsList } from '../keys.ts';
import type { PackageRef } from '../packages/package-keys.ts';
import type { Repository } from '../repositories/repositories.ts';
import type { Write } from '../writes.ts';

/** The queue entry of a package whose files of no version may be unneeded. Its key contains the time and the package. */
export interface LooseSweep {
  readonly workspaceId: string;
  readonly repositoryId: string;
}

/** An entry of the queue, and the package that it is for. */
export interface DueLooseSweep extends LooseSweep {
  readonly dueAt: string;
  readonly ref: PackageRef;
}

/** How long a file that belongs to no version stays although no version needs it: a push of an image takes less. */
export const looseMilliseconds = 24 * 60 * 60 * 1000;

const hourMilliseconds = 60 * 60 * 1000;

/** When the sweeper must look at files of no version that are stored or released now. It is the same for an hour. */
export const looseDueDate = (): string =>
  new Date(Math.ceil((Date.now() + looseMilliseconds) / hourMilliseconds) * hourMilliseconds).toISOString();

/** Queues a package for the sweeper, once for each hour: it then looks for files that nothing needs. */
export const leaveLooseFiles = (
  { workspaceId, repositoryId }: Pick<Repository, 'workspaceId' | 'repositoryId'>,
  { contentId, name }: PackageRef,
  dueAt = looseDueDate(),
): Write => ({ put: { ...looseSweepKey(dueAt, contentId, name), workspaceId, repositoryId } });

/** Up to `limit` packages that are due, the earliest first. */
export const listDueLooseSweeps = async (table: Table, limit: number): Promise<DueLooseSweep[]> => {
  const { items } = await table.query(looseSweepsList, { limit });
  const now = new Date().toISOString();
  return items
    .map(({ position, item: { workspaceId, repositoryId } }) => {
      const [dueAt = '', contentId = '', ...name] = position.split('#');
      return { dueAt, workspaceId, repositoryId, ref: { contentId, name: name.join('#') } };
    })
    .filter(({ dueAt }) => dueAt <= now);
};

/** Ends an entry of the queue. */
export const forgetLooseSweep = async (table: Table, { dueAt, ref }: DueLooseSweep): Promise<void> => {
  await table.writeUnrecorded([{ remove: looseSweepKey(dueAt, ref.contentId, ref.name) }]);
};
