import type { Table } from './client.ts';
import { memberNameKey, membershipKey, membershipsList, sweepKey, sweepsList, workspaceOfUserKey } from './keys.ts';
import type { Membership } from './memberships.ts';
import type { Write } from './writes.ts';

/** A deleted workspace whose memberships are still stored; nothing reaches them any more. */
export interface Sweep {
  readonly name: string;
  readonly deletedAt: string;
}

/** A sweep and the workspace that it is for. */
type PendingSweep = Pick<Sweep, 'name'> & { readonly workspaceId: string };

/** A membership is three items and a transaction takes 100 actions. */
const membershipsPerWrite = 33;

/** The deleted workspaces that wait, some of them at a time. */
export const listSweeps = async (table: Table, limit: number): Promise<PendingSweep[]> => {
  const { items } = await table.query(sweepsList, { limit });
  return items.map(({ position, item }) => ({ workspaceId: position, name: item.name }));
};

/**
 * Removes some of the memberships of a deleted workspace, and the note that it waits once none are left. Answers with how
 * many it removed and whether the workspace is done; safe to repeat and to interrupt anywhere.
 */
export const sweep = async (
  table: Table,
  { workspaceId, name }: PendingSweep,
): Promise<{ removed: number; done: boolean }> => {
  const { items } = await table.query(membershipsList(workspaceId), { limit: membershipsPerWrite });
  if (items.length > 0) await table.write(items.flatMap(({ item }) => membershipRemoved(workspaceId, name, item)));
  const done = items.length < membershipsPerWrite;
  if (done) await table.write([{ remove: sweepKey(workspaceId) }]);
  return { removed: items.length, done };
};

const membershipRemoved = (workspaceId: string, workspaceName: string, { userId, username }: Membership): Write[] => [
  { remove: membershipKey(workspaceId, userId) },
  { remove: memberNameKey(workspaceId, username) },
  { remove: workspaceOfUserKey(userId, workspaceName, workspaceId) },
];
