import type { Context } from 'aws-lambda';
import { log } from '../shared/observability/log.ts';
import { type ImportRun, runImport } from './advisories/running-import.ts';

/** What is left to write the log when the time is over. */
const reserveMilliseconds = 5_000;

/** Imports advisories from an archive. The next run continues what one does not finish. */
export const handler = async (event: ImportRun, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
  const startedAt = Date.now();
  const outcome = await runImport(event, context.getRemainingTimeInMillis() - reserveMilliseconds);
  log.advisoryImport({ importId: event.importId, outcome, durationMilliseconds: Date.now() - startedAt });
};
