import type { Change } from '../../../shared/table/changes.ts';
import type { Table } from '../../../shared/table/client.ts';
import type { Refusal, Write } from '../../../shared/table/writes.ts';

/** A change that somebody makes. */
export const change: Change = {
  action: 'workspace.created',
  workspaceId: null,
  target: { id: 'ID of acme', name: 'acme' },
  before: null,
  after: null,
};

type WayToWrite = (table: Table, writes: readonly Write[]) => Promise<Refusal | undefined>;

/** Writes a change by the SDK. What stands in the way of its record is left out. */
export const writeChange: WayToWrite = async (table, writes) =>
  (await table.write(writes, change))?.slice(0, writes.length);

/** The two ways in which writes reach the table. */
export const waysToWrite: readonly (readonly [string, WayToWrite])[] = [
  ['A change, which the SDK sends,', writeChange],
  ['What has no record, and is sent plainly,', async (table, writes) => table.writeUnrecorded(writes)],
];
