import type { Context } from 'aws-lambda';
import { log } from '../shared/observability/log.ts';
import { type HandedOverRun, verifyUpload } from '../shared/packages/uploads/verification.ts';

/** What is left to write the log when the time is over. */
const reserveMilliseconds = 5_000;

/** Verifies the bytes of an upload session that were sent in parts. The next run continues what one does not finish. */
export const handler = async (
  event: HandedOverRun,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> => {
  const startedAt = Date.now();
  const outcome = await verifyUpload(event, context.getRemainingTimeInMillis() - reserveMilliseconds);
  log.verification({ uploadId: event.uploadId, outcome, durationMilliseconds: Date.now() - startedAt });
};
