import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ApiError } from '../../errors.ts';
import { logLostObject } from '../../observability/log.ts';
import { stagingObjectKey } from '../../store/keys.ts';
import { putObjectOnce, readObject } from '../../store/objects.ts';
import type { ReceivedFile } from '../../store/received-file.ts';
import type { StagedAnswer } from '../../table/packages/upstream-fetches.ts';
import type { UpstreamAnswer } from '../upstream/upstream-request.ts';
import { concluded, type LeasedFetch } from './worker-queue.ts';

/** Throws FILE_PENDING if the store has lost a staged answer, and ends its fetch, so that the next request asks the upstream again. */
export const requireStaged = async <T>(
  fetch: LeasedFetch,
  { fetchId, stagingKey = '' }: StagedAnswer,
  found: T | undefined,
): Promise<T> => {
  if (found !== undefined) return found;
  logLostObject(stagingKey, 'absent');
  await concluded(fetch, fetchId);
  throw new ApiError('FILE_PENDING');
};

/** A staged answer as the upstream at a URL gave it. Throws FILE_PENDING if the store has lost it. */
export const answerOf = async (fetch: LeasedFetch, staged: StagedAnswer, url: string): Promise<UpstreamAnswer> => {
  const { stagingKey, contentEncoding, redirectedTo = url, copy } = staged;
  if (stagingKey === undefined) return { kind: 'absent' };
  const content = await requireStaged(fetch, staged, await readObject(stagingKey, fetch.table.signal));
  const context = { host: new URL(url).host, status: 200 };
  const headers = { 'content-encoding': contentEncoding };
  return {
    kind: 'content',
    response: { headers, url: new URL(redirectedTo), context, body: Readable.from([content]) },
    copy,
  };
};

/** Writes a file to the staging area, unless it is there already. Returns the key of its object. */
export const stage = async (received: ReceivedFile, signal: AbortSignal): Promise<string> => {
  if (received.stagingKey !== undefined) return received.stagingKey;
  const key = stagingObjectKey(randomUUID());
  await putObjectOnce(key, await received.bytes(), signal);
  return key;
};
