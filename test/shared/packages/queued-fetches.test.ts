import { environment } from '../../../shared/config.ts';
import { loadDocument } from '../../../shared/packages/fetch/remote-documents.ts';
import { processPool } from '../../../shared/packages/upstream/process-pool.ts';
import { fetchRequest } from '../../../shared/packages/upstream/upstream-request.ts';
import { Table } from '../../../shared/table/client.ts';
import { takeWorkerSlot } from '../../../shared/table/packages/worker-slots.ts';
import type { RemoteRepository } from '../../../shared/table/repositories/repositories.ts';
import {
  address,
  contentOf,
  download,
  fetchAt,
  inRequest,
  refusalOf,
  remoteOf,
  useRemotes,
} from '../../harness/remote-repositories.ts';
import { serving } from '../../harness/upstream.ts';

const { service, upstream } = useRemotes();
beforeAll(() => {
  process.env[environment.upstreamAnswerMilliseconds] = '1500';
});

/** What this process may have of one upstream at once. */
const socketsMax = 24;

/** Uses all connections to the upstream until the returned function gives them back. */
const holdConnections = async (): Promise<() => void> => {
  const wish = {
    connectMilliseconds: 5_000,
    hangMilliseconds: 5_000,
    isFresh: false,
    signal: AbortSignal.timeout(5_000),
  };
  const target = { url: new URL(upstream.url), host: '127.0.0.1' };
  const lent = await Promise.all(Array.from({ length: socketsMax }, async () => processPool().lend(target, wish)));
  return () => {
    for (const { giveBack } of lent) giveBack(Number.POSITIVE_INFINITY);
  };
};

/** Takes all places of the workspace for what the worker does. Returns how many were free. */
const takePlaces = async ({ workspaceId }: RemoteRepository): Promise<number> => {
  for (let taken = 0; ; taken += 1)
    if ((await takeWorkerSlot(new Table(), workspaceId, `fetch-${taken}`)) === undefined) return taken;
};

const fetchFile = (source: RemoteRepository) =>
  fetchAt(source, address, undefined, { url: `${upstream.url}/tool`, mediaType: 'text/plain' });

const fetchDocument = (source: RemoteRepository) =>
  inRequest(async (table) =>
    loadDocument(fetchRequest({ table, query: { wait: 1 } }), source, {
      name: address.name,
      document: 'document',
      url: `${upstream.url}/document`,
      parse: (kept) => Buffer.from(kept).toString(),
    }),
  );

describe('What has no connection before the time of its request is over', () => {
  it.each([
    ['a file', true, fetchFile],
    ['a document', true, fetchDocument],
    ['a document that is not kept', false, fetchDocument],
  ])('is pending, takes no place of the worker, and is fetched by the next request: %s', async (_, isKept, fetch) => {
    const source = await remoteOf(service, upstream, { isRemoteCacheEnabled: isKept });
    upstream.answer = serving('the content');
    const giveBack = await holdConnections();
    expect((await refusalOf(fetch(source)))[0]).toBe('FILE_PENDING');
    expect([await takePlaces(source), upstream.requests.length]).toEqual([5, 0]);
    // All places are taken, and none is needed.
    expect((await refusalOf(fetch(source)))[0]).toBe('FILE_PENDING');
    giveBack();
    expect(await fetch(source)).toMatchObject({ cache: 'miss' });
    expect(upstream.requests).toHaveLength(1);
  });

  it('is served as the stale copy that is there', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: 0 });
    upstream.answer = serving('the content');
    await download(source);
    const giveBack = await holdConnections();
    const stale = await download(source);
    giveBack();
    expect([stale?.cache, await contentOf(stale?.file), await takePlaces(source)]).toEqual(['stale', 'the content', 5]);
  });
});
