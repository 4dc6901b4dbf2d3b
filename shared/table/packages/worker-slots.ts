import type { Table } from '../client.ts';
import { workerSlotKey } from './package-keys.ts';

/** How many fetches of one workspace may go on after their requests. The others are left to the other workspaces. */
const slotsMax = 5;

/** As long as the lease of a worker, which renews both. */
const slotMilliseconds = 60_000;

const slots = Array.from({ length: slotsMax }, (_, slot) => slot);

const times = () => {
  const until = Date.now() + slotMilliseconds;
  return { ':until': until, ':expiresAt': Math.ceil(until / 1000) };
};

/** Takes a slot for a fetch of a workspace; undefined if all are taken. */
export const takeWorkerSlot = async (
  table: Table,
  workspaceId: string,
  fetchId: string,
): Promise<number | undefined> => {
  const now = Date.now();
  const keys = slots.map((slot) => workerSlotKey(workspaceId, slot));
  const loaded = await table.read(keys);
  for (const [slot, key] of keys.entries()) {
    if ((loaded.find(key)?.until ?? 0) > now) continue;
    const answer = await table.update({
      update: key,
      set: 'SET #fetchId = :fetchId, #until = :until, #expiresAt = :expiresAt',
      if: 'attribute_not_exists(#until) OR #until <= :now',
      values: { ':fetchId': fetchId, ':now': now, ...times() },
    });
    if ('before' in answer) return slot;
  }
  return undefined;
};

/** What says whose a slot is. */
export interface HeldSlot {
  readonly workspaceId: string;
  readonly slot: number;
  readonly fetchId: string;
}

/** Keeps a slot for as long as a lease. */
export const keepWorkerSlot = async (table: Table, { workspaceId, slot, fetchId }: HeldSlot): Promise<void> => {
  await table.update({
    update: workerSlotKey(workspaceId, slot),
    set: 'SET #until = :until, #expiresAt = :expiresAt',
    if: '#fetchId = :fetchId',
    values: { ':fetchId': fetchId, ...times() },
  });
};

/** Gives a slot back. */
export const leaveWorkerSlot = async (table: Table, { workspaceId, slot, fetchId }: HeldSlot): Promise<void> => {
  await table.update({
    update: workerSlotKey(workspaceId, slot),
    set: 'SET #until = :zero',
    if: '#fetchId = :fetchId',
    values: { ':fetchId': fetchId, ':zero': 0 },
  });
};
