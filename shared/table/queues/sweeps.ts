import { packageTypes } from '../../package-types.ts';
import type { Table } from '../client.ts';
import type { Membership } from '../identity/memberships.ts';
import {
  type Entry,
  grantShardsList,
  type Key,
  type ListKey,
  memberNameKey,
  membershipKey,
  membershipsList,
  sweepKey,
  sweepsList,
  tokenKey,
  tokensOfWorkspaceList,
  trustKey,
  trustsList,
  verdictsList,
  workspaceOfUserKey,
} from '../keys.ts';
import { usageKeys } from '../packages/usage.ts';
import type { Write } from '../writes.ts';

/** A deleted workspace whose memberships, tokens, trusts and verdicts are still stored. No request can reach them any more. */
export interface Sweep {
  readonly name: string;
  readonly deletedAt: string;
}

/** A sweep and the workspace that it is for. */
type PendingSweep = Pick<Sweep, 'name'> & { readonly workspaceId: string };

/** A membership consists of three items, and a transaction has at most 100 actions. */
const membershipsPerWrite = 33;

const shardsPerWrite = 100;

/** A token or a trust of the workspace consists of two items. */
const pairsPerWrite = 50;

/** Lists some of the deleted workspaces that wait for the sweeper. */
export const listSweeps = async (table: Table, limit: number): Promise<PendingSweep[]> => {
  const { items } = await table.query(sweepsList, { limit });
  return items.map(({ position, item }) => ({ workspaceId: position, name: item.name }));
};

/**
 * Removes some of the memberships, tokens, trusts and verdicts of a deleted workspace, and finally its entry in the queue. Returns how many
 * memberships it removed, and whether the workspace is done. It can be repeated, and interrupted at any point.
 */
export const sweep = async (
  table: Table,
  { workspaceId, name }: PendingSweep,
): Promise<{ removed: number; done: boolean }> => {
  const { items } = await table.query(membershipsList(workspaceId), { limit: membershipsPerWrite });
  if (items.length > 0)
    await table.writeUnrecorded(items.flatMap(({ item }) => membershipRemoved(workspaceId, name, item)));
  if (items.length === membershipsPerWrite) return { removed: items.length, done: false };
  // Without memberships, no request can grant anything any more.
  const { pk, prefix } = grantShardsList(workspaceId);
  const { items: shards } = await table.query(grantShardsList(workspaceId), { limit: shardsPerWrite });
  if (shards.length > 0)
    await table.writeUnrecorded(shards.map(({ position }) => ({ remove: { pk, sk: prefix + position } })));
  const tokens = await sweepPairs(table, tokensOfWorkspaceList(workspaceId), tokenKey);
  const trusts = await sweepPairs(table, trustsList(workspaceId), trustKey);
  await sweepVerdicts(table, workspaceId);
  const done = shards.length < shardsPerWrite && tokens < pairsPerWrite && trusts < pairsPerWrite;
  if (done)
    await table.writeUnrecorded([
      { remove: sweepKey(workspaceId) },
      ...usageKeys(workspaceId).map((key) => ({ remove: key })),
    ]);
  return { removed: items.length, done };
};

/** Removes some entries of a list with the items that they stand for. Returns how many there were. */
const sweepPairs = async (table: Table, list: ListKey<Entry>, keyOf: (id: string) => Key): Promise<number> => {
  const { items } = await table.query(list, { limit: pairsPerWrite });
  const { pk, prefix } = list;
  const writes = items.flatMap(({ position, item }): Write[] => [
    { remove: keyOf(item.id) },
    { remove: { pk, sk: prefix + position } },
  ]);
  if (writes.length > 0) await table.writeUnrecorded(writes);
  return items.length;
};

/** Removes the verdicts of a workspace: one item for each package type. */
const sweepVerdicts = async (table: Table, workspaceId: string): Promise<void> => {
  const { pk, prefix } = verdictsList(workspaceId);
  const { items } = await table.query(verdictsList(workspaceId), { limit: packageTypes.length });
  if (items.length > 0)
    await table.writeUnrecorded(items.map(({ position }) => ({ remove: { pk, sk: prefix + position } })));
};

const membershipRemoved = (workspaceId: string, workspaceName: string, { userId, username }: Membership): Write[] => [
  { remove: membershipKey(workspaceId, userId) },
  { remove: memberNameKey(workspaceId, username) },
  { remove: workspaceOfUserKey(userId, workspaceName, workspaceId) },
];
