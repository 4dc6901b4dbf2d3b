import { log } from '../../observability/log.ts';
import { whileRenewed } from '../../renewal.ts';
import { passingOn } from '../../request-chain.ts';
import { Table } from '../../table/client.ts';
import { repositoryKey } from '../../table/keys.ts';
import { documentFetchKey, fileFetchKey, fileKey, upstreamPauseKey } from '../../table/packages/package-keys.ts';
import { isLive, noVersion } from '../../table/packages/packages.ts';
import type { UpstreamPause } from '../../table/packages/upstream-copies.ts';
import { keepFetch, type StagedAnswer, takeFetchOver } from '../../table/packages/upstream-fetches.ts';
import { keepWorkerSlot, leaveWorkerSlot } from '../../table/packages/worker-slots.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { defaultMetadataLimits } from '../../upstream/read-metadata.ts';
import { looseFiles } from '../loose-files/loose-preparation.ts';
import { ownTypeOf } from '../upstream/own-media-type.ts';
import { mediaTypeOf, receiveFromUpstream, type UpstreamFile } from '../upstream/upstream-body.ts';
import { askUpstream, isUpstreamRefusal, withReserve } from '../upstream/upstream-request.ts';
import { fetchNow, withoutQuery } from './file-cache.ts';
import { stage } from './staged-answers.ts';
import { concluded, type HandedOverFetch, type LeasedFetch } from './worker-queue.ts';

/** The time to store a file after it has arrived. S3 copies gigabytes in this time. */
const storeMilliseconds = 60_000;

/** The result of a fetch in the worker. */
export type ContinuedFetch = 'fetched' | 'absent' | 'refused' | 'not ours';

/** A fetch in the worker. */
interface Continued extends LeasedFetch {
  readonly event: HandedOverFetch;
  readonly fetchId: string;
  readonly pause: UpstreamPause | undefined;
  /** Aborts the exchange with the upstream. */
  readonly deadline: AbortSignal;
}

/**
 * Fetches what takes longer than a request. A file of a repository that caches is cached; anything else is staged for the
 * requests that wait for it. Waiting clients get any failure from the table. A failure that is not the upstream's is also
 * thrown.
 */
export const continueFetch = async (event: HandedOverFetch, milliseconds: number): Promise<ContinuedFetch> => {
  const { workspaceId, repositoryId, contentId } = event;
  const table = new Table(milliseconds);
  const [repository, pauseKey] = [repositoryKey(workspaceId, repositoryId), upstreamPauseKey(contentId)];
  const loaded = await table.read([repository, pauseKey]);
  const source = loaded.find(repository);
  // The repository was deleted or emptied in the meantime, so nobody could find what is fetched.
  if (source?.repositoryType !== 'remote' || contentIdOf(source) !== contentId) return 'not ours';
  const leaseKey = leaseKeyOf(event);
  const fetchId = await takeFetchOver(table, leaseKey, event.fetchId);
  if (fetchId === undefined) return 'not ours';
  const held = event.slot === undefined ? undefined : { workspaceId, slot: event.slot, fetchId: event.fetchId };
  const renew = async (): Promise<boolean> => {
    if (held) await keepWorkerSlot(table, held);
    return keepFetch(table, leaseKey, fetchId);
  };
  return whileRenewed(renew, async (isLost) => {
    const deadline = AbortSignal.any([AbortSignal.timeout(milliseconds - storeMilliseconds), isLost]);
    const fetch: Continued = { table, source, leaseKey, event, fetchId, pause: loaded.find(pauseKey), deadline };
    try {
      return await passingOn(event.marks ?? [], async () => withReserve(async () => fetchTo(fetch)));
    } catch (error) {
      await concluded(fetch, fetchId, { error });
      if (!isUpstreamRefusal(error)) throw error;
      return 'refused';
    } finally {
      for (const failure of await table.sideWork.ended()) log.bestEffortFailure(failure);
      if (held) await leaveWorkerSlot(table, held).catch((error: unknown) => log.bestEffortFailure(error));
    }
  });
};

const leaseKeyOf = (event: HandedOverFetch) => {
  const { contentId } = event;
  if ('document' in event) return documentFetchKey({ contentId, name: event.name }, event.document);
  const { name, version, file } = event.address;
  return fileFetchKey({ contentId, name }, version, file);
};

const fetchTo = async (fetch: Continued): Promise<ContinuedFetch> => {
  const { event, source, fetchId } = fetch;
  if (!('document' in event) && source.isRemoteCacheEnabled) {
    const { answer } = await cacheFile(fetch, source, event);
    await concluded(fetch, fetchId);
    return answer ? 'fetched' : 'absent';
  }
  const staged = await stageAnswer(fetch);
  await concluded(fetch, fetchId, { staged });
  return staged.stagingKey === undefined ? 'absent' : 'fetched';
};

/** The file with what says its media type, which is no part of what was handed over. */
const typed = (upstream: UpstreamFile): UpstreamFile => ({
  ...upstream,
  ...(upstream.memberTypes && { typeOf: ownTypeOf(upstream) }),
});

const cacheFile = async (
  { table, leaseKey, pause, deadline }: Continued,
  source: RemoteRepository,
  { contentId, address, upstream, isLost = false }: Extract<HandedOverFetch, { upstream: UpstreamFile }>,
) => {
  const ref = { contentId, name: address.name };
  const key = fileKey(ref, address.version, address.file);
  const found = (await table.read([key])).find(key);
  const cached = isLive(found) ? found : undefined;
  const bytesInTime = Number.POSITIVE_INFINITY;
  const wanted = { ...typed(upstream), ...(address.version === noVersion && { loose: looseFiles }) };
  return fetchNow({ table, source, leaseKey, ref, address, cached, isLost, pause, deadline, bytesInTime }, wanted);
};

/** Puts the answer of the upstream into the staging area, as it is sent. The request that uses a document checks it. */
const stageAnswer = async ({ table, source, event, fetchId, pause, deadline }: Continued): Promise<StagedAnswer> => {
  const wanted =
    'document' in event
      ? ({
          content: 'metadata',
          url: event.url,
          otherwise: event.otherwise,
          accept: event.accept,
          bytesMax: defaultMetadataLimits.bytesMax,
        } as const)
      : ({ content: 'file', ...typed(event.upstream) } as const);
  const answer = await askUpstream(table, { source, ...wanted, pause, signal: deadline });
  if (answer.kind !== 'content') return { fetchId, copy: { checkedAt: Date.now() } };
  const received = await receiveFromUpstream(answer.response, wanted, table.signal);
  const stagingKey = await stage(received, table.signal);
  const contentEncoding = answer.response.headers['content-encoding'];
  const redirectedTo = withoutQuery(answer.response.url.href);
  return {
    fetchId,
    stagingKey,
    ...(contentEncoding !== undefined && { contentEncoding }),
    ...('document' in event && redirectedTo !== withoutQuery(event.url) && { redirectedTo }),
    ...('mediaType' in wanted && { mediaType: await mediaTypeOf(wanted, answer.response, received) }),
    copy: { ...answer.copy, checkedAt: Date.now() },
  };
};
