import type { Table } from './client.ts';
import { type Item, memberNameKey, membershipKey, sweepKey, workspaceOfUserKey } from './keys.ts';
import type { Write } from './writes.ts';

/** A deleted workspace whose memberships are still stored; nothing reaches them any more. */
export interface Sweep {
  readonly workspaceId: string;
  readonly name: string;
  readonly deletedAt: string;
}

/** A membership is three items and a transaction takes 100 actions. */
const membershipsPerWrite = 33;

/** The deleted workspaces that wait, some of them at a time. */
export const listSweeps = async (table: Table, limit: number): Promise<Sweep[]> => {
  const { items } = await table.query(sweepKey('').pk, '', { limit });
  return items.map(({ sk, name, deletedAt }) => ({
    workspaceId: sk,
    name: String(name),
    deletedAt: String(deletedAt),
  }));
};

/**
 * Removes some of the memberships of a deleted workspace, and the note that it waits once none are left. Answers with how
 * many it removed and whether the workspace is done; safe to repeat and to interrupt anywhere.
 */
export const sweep = async (
  table: Table,
  { workspaceId, name }: Sweep,
): Promise<{ removed: number; done: boolean }> => {
  const { pk, sk: prefix } = membershipKey(workspaceId, '');
  const { items } = await table.query(pk, prefix, { limit: membershipsPerWrite });
  if (items.length > 0) await table.write(items.flatMap((item) => membershipRemoved(workspaceId, name, item)));
  const done = items.length < membershipsPerWrite;
  if (done) await table.write([{ remove: sweepKey(workspaceId) }]);
  return { removed: items.length, done };
};

const membershipRemoved = (workspaceId: string, workspaceName: string, item: Item): Write[] => {
  const [userId, username] = [String(item.userId), String(item.username)];
  return [
    { remove: membershipKey(workspaceId, userId) },
    { remove: memberNameKey(workspaceId, username) },
    { remove: workspaceOfUserKey(userId, workspaceName, workspaceId) },
  ];
};
