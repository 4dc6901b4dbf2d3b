import type { Context } from 'aws-lambda';
import { logAdvisoryImport } from '../shared/observability/log.ts';
import { type FeedUpdate, updateFeed } from './advisories/feed-update.ts';
import { type ImportRun, runImport } from './advisories/running-import.ts';

/** What is left to write the log when the time is over. */
const reserveMilliseconds = 5_000;

/** Imports advisories from an archive, or what changed at osv.dev. The next run continues what one does not finish. */
export const handler = async (
  event: ImportRun | FeedUpdate,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> => {
  const startedAt = Date.now();
  const milliseconds = context.getRemainingTimeInMillis() - reserveMilliseconds;
  const outcome = 'importId' in event ? await runImport(event, milliseconds) : await updateFeed(event, milliseconds);
  logAdvisoryImport({ ...event, outcome, durationMilliseconds: Date.now() - startedAt });
};
