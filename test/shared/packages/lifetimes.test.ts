import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { environment } from '../../../shared/config.ts';
import { fetchFile } from '../../../shared/packages/fetch/remote-files.ts';
import type { HandedOverFetch } from '../../../shared/packages/fetch/worker-queue.ts';
import { fetchRequest } from '../../../shared/packages/upstream/upstream-request.ts';
import { Table } from '../../../shared/table/client.ts';
import {
  fileFetchKey,
  missingFileKey,
  upstreamPauseKey,
  workerSlotKey,
} from '../../../shared/table/packages/package-keys.ts';
import {
  beginFetch,
  keepFetch,
  recentFailure,
  type StagedAnswer,
  takeFetchOver,
  type UpstreamFetch,
  usableAnswer,
} from '../../../shared/table/packages/upstream-fetches.ts';
import { keepWorkerSlot } from '../../../shared/table/packages/worker-slots.ts';
import type { RemoteRepository } from '../../../shared/table/repositories/repositories.ts';
import {
  address,
  age,
  download,
  fetchAt,
  handedOver,
  keyOf,
  leaseKeyOf,
  passSeconds,
  refOf,
  refusalOf,
  remoteOf,
  stored,
  useRemotes,
} from '../../harness/remote-repositories.ts';
import { refusing, serving, Upstream } from '../../harness/upstream.ts';

const { service, upstream } = useRemotes();

const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** Lambda, to which a request hands its fetch over. It keeps what the table held at that moment. */
const lambda = new Upstream();
const handed: { readonly event: HandedOverFetch; readonly lease: UpstreamFetch | undefined }[] = [];

const noteHandedOver = async (body: Readable): Promise<void> => {
  const event = (await json(body)) as HandedOverFetch;
  if ('document' in event) throw new Error('Only files are fetched here.');
  const { name, version, file } = event.address;
  const lease = await stored(fileFetchKey({ contentId: event.contentId, name }, version, file));
  handed.push({ event, lease });
};

beforeAll(async () => {
  await lambda.start();
  process.env[environment.fetcherFunction] = 'fetcher';
  process.env.AWS_ENDPOINT_URL_LAMBDA = lambda.url;
  lambda.answer = (request, response) => void noteHandedOver(request).then(() => response.writeHead(202).end());
});
afterAll(() => lambda.stop());

const pauseKey = ({ repositoryId }: RemoteRepository) => upstreamPauseKey(repositoryId);

/** A time of the table must be so far from now. A busy machine has five seconds for what comes between. */
const expectIn = (until: number | undefined, milliseconds: number): void => {
  const left = (until ?? 0) - Date.now();
  expect({ left, isRight: left <= milliseconds && left > milliseconds - 5 * seconds }).toEqual({ left, isRight: true });
};

/** DynamoDB removes an item after its time, which is in whole seconds, and never while it still says something. */
const expectKept = ({ expiresAt }: { readonly expiresAt: number }, until: number): void =>
  expect(expiresAt * seconds).toBeGreaterThanOrEqual(until);

/** What an item says while the upstream has not answered yet. */
const whileAsked = async <T>(source: RemoteRepository, look: () => Promise<T>): Promise<T> => {
  let found: T | undefined;
  const answer = async (...[request, response]: Parameters<typeof upstream.answer>): Promise<void> => {
    found = await look();
    serving('the file')(request, response);
  };
  upstream.answer = (request, response) => void answer(request, response);
  await download(source);
  if (found === undefined) throw new Error('The upstream was not asked.');
  return found;
};

const tooLarge = 2_000_000_000;
const announcing: typeof upstream.answer = (_request, response) => {
  response.writeHead(200, { 'Content-Length': String(tooLarge) });
  response.flushHeaders();
};

describe('A lease lasts', () => {
  it('30 seconds for the request that revalidates a stale copy', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: minutes });
    upstream.answer = serving('the file', { ETag: '"one"' });
    await download(source);
    await age(keyOf(source), minutes);
    const lease = await whileAsked(source, async () => stored(leaseKeyOf(source)));
    expectIn(lease?.until, 30 * seconds);
    expect(await stored(leaseKeyOf(source))).toMatchObject({ until: 0 });
  });

  it('30 seconds for the request that fetches what nobody has, and is over when it is stored', async () => {
    const source = await remoteOf(service, upstream);
    const lease = await whileAsked(source, async () => stored(leaseKeyOf(source)));
    expectIn(lease?.until, 30 * seconds);
    if (lease) expectKept(lease, lease.until);
    expect(await stored(leaseKeyOf(source))).toMatchObject({ until: 0 });
  });

  it('until what it fetched is stored, and says so to those who read the cache just before', async () => {
    const source = await remoteOf(service, upstream);
    const readAt = await whileAsked(source, async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return Date.now();
    });
    expect((await stored(leaseKeyOf(source)))?.storedAt).toBeGreaterThanOrEqual(readAt);
    expect(await beginFetch(new Table(), leaseKeyOf(source), { seenAt: readAt })).toMatchObject({ met: { until: 0 } });
  });

  it('60 seconds from before the worker is called, so that nobody begins again meanwhile', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = announcing;
    const waited = download(source).catch(() => undefined);
    while (handed.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const [{ event, lease } = {}] = handed;
    expect(lease?.fetchId).toBe(event?.fetchId);
    expectIn(lease?.until, 60 * seconds);
    const slot = await stored(workerSlotKey(source.workspaceId, event?.slot ?? -1));
    expect(slot?.fetchId).toBe(event?.fetchId);
    expectIn(slot?.until, 60 * seconds);
    if (slot) expectKept(slot, slot.until);
    upstream.hangUp();
    await new Table().writeUnrecorded([{ update: leaseKeyOf(source), set: 'SET #until = :no', values: { ':no': 0 } }]);
    await waited;
  });

  it('60 seconds for the worker that takes a fetch over, and each time that it renews its lease and its slot', async () => {
    const source = await remoteOf(service, upstream);
    const { workspaceId, repositoryId } = source;
    const event = await handedOver({ id: workspaceId, name: '' }, { id: repositoryId, name: '' }, upstream);
    const fetchId = (await takeFetchOver(new Table(), leaseKeyOf(source), event.fetchId)) ?? '';
    expectIn((await stored(leaseKeyOf(source)))?.until, 60 * seconds);
    const almostOver = { set: 'SET #until = :soon', values: { ':soon': Date.now() + seconds } };
    const slot = workerSlotKey(workspaceId, 0);
    await new Table().writeUnrecorded([
      { update: leaseKeyOf(source), ...almostOver },
      { put: { ...slot, fetchId, until: Date.now() + seconds, expiresAt: 0 } },
    ]);
    expect(await keepFetch(new Table(), leaseKeyOf(source), fetchId)).toBe(true);
    await keepWorkerSlot(new Table(), { workspaceId, slot: 0, fetchId });
    expectIn((await stored(leaseKeyOf(source)))?.until, 60 * seconds);
    expectIn((await stored(slot))?.until, 60 * seconds);
  });
});

describe('What the last fetch left serves', () => {
  const waiting = async (source: RemoteRepository) => {
    const request = fetchRequest({ table: new Table(), query: { wait: 1 } });
    const file = { url: `${upstream.url}/tool`, mediaType: 'text/plain' };
    return fetchFile(request, source, { address, cached: undefined }, async () => file);
  };

  it('a failure those who wait for a minute, and nobody else', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = refusing(500);
    await refusalOf(download(source));
    const { failure } = (await stored(leaseKeyOf(source))) ?? {};
    expectIn(failure?.at, 0);
    const failedAgo = async (milliseconds: number) =>
      new Table().writeUnrecorded([
        { update: leaseKeyOf(source), set: 'SET #failure.#at = :at', values: { ':at': Date.now() - milliseconds } },
      ]);
    await failedAgo(50 * seconds);
    expect((await refusalOf(waiting(source)))[1]).toContain('(HTTP 500)');
    expect(upstream.requests).toHaveLength(1);
    upstream.answer = serving('the file');
    await failedAgo(60 * seconds);
    expect(await waiting(source)).toMatchObject({ cache: 'miss' });
    const other = await remoteOf(service, upstream);
    upstream.answer = refusing(500);
    await refusalOf(download(other));
    upstream.answer = serving('the file');
    expect(await download(other)).toMatchObject({ cache: 'miss' });
  });

  it.each([
    ['a staged file everybody', 5 * minutes, 0, 'staging/file'],
    ['a staged absence everybody', minutes, 0, undefined],
    ['a staged file in place of an older copy', 24 * hours, 1, 'staging/file'],
  ] as const)('%s for %d milliseconds', (_, lifetime, copyAt, stagingKey) => {
    const left = (milliseconds: number): StagedAnswer | undefined =>
      usableAnswer(
        {
          fetchId: 'fetch',
          until: 0,
          expiresAt: 0,
          staged: {
            fetchId: 'fetch',
            ...(stagingKey && { stagingKey }),
            copy: { checkedAt: Date.now() - milliseconds },
          },
        },
        copyAt,
      );
    expect(left(lifetime - 5 * seconds)).toBeDefined();
    expect(left(lifetime)).toBeUndefined();
  });

  it('no failure of a fetch that left none', () => {
    expect(recentFailure({ fetchId: 'fetch', until: 0, expiresAt: 0 })).toBeUndefined();
  });
});

describe('An upstream is not asked', () => {
  it('for 30 seconds after its fifth question without an answer', async () => {
    const gone = new Upstream();
    await gone.start();
    const source = await remoteOf(service, gone);
    await gone.stop();
    const url = new URL(source.remoteRepositoryUrl).origin;
    const ask = async (file: string) =>
      refusalOf(fetchAt(source, { ...address, file }, undefined, { url, mediaType: 'text/plain' }));
    for (const file of ['1', '2', '3', '4']) await ask(file);
    await passSeconds(source.repositoryId);
    await ask('5');
    const pause = await stored(pauseKey(source));
    expectIn(pause?.until, 30 * seconds);
    if (pause) expectKept(pause, pause.until);
  });

  it('for ten minutes for a file that it does not have', async () => {
    const source = await remoteOf(service, upstream);
    await download(source);
    const missing = await stored(missingFileKey(refOf(source), address.version, address.file));
    expectIn(missing?.checkedAt, 0);
    if (missing) expectKept(missing, missing.checkedAt + 10 * minutes);
  });
});
