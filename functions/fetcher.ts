import type { Context } from 'aws-lambda';
import { log } from '../shared/observability/log.ts';
import { continueFetch } from '../shared/packages/fetch/worker-fetch.ts';
import type { HandedOverFetch } from '../shared/packages/fetch/worker-queue.ts';

/** What is left to write the log when the time is over. */
const reserveMilliseconds = 5_000;

/** Goes on with a fetch that takes longer than a request. */
export const handler = async (
  event: HandedOverFetch,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> => {
  const { workspaceId, repositoryId } = event;
  const startedAt = Date.now();
  const outcome = await continueFetch(event, context.getRemainingTimeInMillis() - reserveMilliseconds);
  log.fetch({ workspaceId, repositoryId, outcome, durationMilliseconds: Date.now() - startedAt });
};
