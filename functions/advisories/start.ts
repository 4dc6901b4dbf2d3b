import { config } from '../../shared/config.ts';
import { invokeAsynchronously } from '../../shared/invocation.ts';
import type { Table } from '../../shared/table/client.ts';
import type { AdvisoryImport } from '../../shared/table/repositories/advisory-items.ts';

/** Lets the worker go on with an import. */
export const startRun = async (table: Table, { importId }: AdvisoryImport): Promise<void> =>
  invokeAsynchronously(config.importerFunction, { importId }, table.signal);
