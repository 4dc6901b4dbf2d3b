import { Table } from '../table/client.ts';
import { keepFetch, takeFetchOver } from '../table/file-fetches.ts';
import { fileFetchKey, fileKey, repositoryKey, upstreamPauseKey } from '../table/keys.ts';
import { isLive } from '../table/packages.ts';
import { contentIdOf } from '../table/repositories.ts';
import { isUpstreamRefusal, withReserve } from './asking-upstream.ts';
import { type FileFetching, fetchNow } from './fetching-file.ts';
import { concluded, type HandedOverFetch } from './first-fetch.ts';

/** The time to store a file after it has arrived. S3 copies gigabytes in this time. */
const storeMilliseconds = 60_000;

/** The time between two renewals of the lease, a quarter of its length. */
const renewalMilliseconds = 15_000;

/** The result of a fetch in the worker. */
export type ContinuedFetch = 'fetched' | 'absent' | 'refused' | 'not ours';

/**
 * Fetches a file for which the request had not enough time. Waiting clients get any failure from the table. A failure that
 * is not the upstream's is also thrown.
 */
export const continueFetch = async (event: HandedOverFetch, milliseconds: number): Promise<ContinuedFetch> => {
  const { workspaceId, repositoryId, contentId, address, upstream } = event;
  const table = new Table(milliseconds);
  const ref = { contentId, name: address.name };
  const [repository, file] = [repositoryKey(workspaceId, repositoryId), fileKey(ref, address.version, address.file)];
  const [fetchKey, pause] = [fileFetchKey(ref, address.version, address.file), upstreamPauseKey(contentId)];
  const loaded = await table.read([repository, file, pause]);
  const source = loaded.find(repository);
  // The repository was deleted or emptied in the meantime, so nobody could find the file.
  if (source?.repositoryType !== 'remote' || contentIdOf(source) !== contentId) return 'not ours';
  const fetchId = await takeFetchOver(table, fetchKey, event.fetchId);
  if (fetchId === undefined) return 'not ours';
  const found = loaded.find(file);
  const lease = new AbortController();
  const fetch: FileFetching = {
    table,
    source,
    ref,
    address,
    cached: isLive(found) ? found : undefined,
    pause: loaded.find(pause),
    deadline: AbortSignal.any([AbortSignal.timeout(milliseconds - storeMilliseconds), lease.signal]),
    bytesInTime: Number.POSITIVE_INFINITY,
  };
  const renew = async (): Promise<void> => {
    if (!(await keepFetch(table, fetchKey, fetchId))) lease.abort();
  };
  // The next renewal comes before the lease ends.
  const renewal = setInterval(() => void renew().catch(() => {}), renewalMilliseconds);
  try {
    const fetched = await withReserve(async () => fetchNow(fetch, upstream));
    await concluded(fetch, fetchId);
    return fetched ? 'fetched' : 'absent';
  } catch (error) {
    await concluded(fetch, fetchId, error);
    if (!isUpstreamRefusal(error)) throw error;
    return 'refused';
  } finally {
    clearInterval(renewal);
  }
};
