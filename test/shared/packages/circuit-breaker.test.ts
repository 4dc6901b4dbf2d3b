import { environment } from '../../../shared/config.ts';
import type { ApiError } from '../../../shared/errors.ts';
import { Table } from '../../../shared/table/client.ts';
import { upstreamPauseKey } from '../../../shared/table/package-keys.ts';
import type { RemoteRepository } from '../../../shared/table/repositories.ts';
import { hangingMax } from '../../../shared/table/upstream-outages.ts';
import {
  address,
  download,
  fetchAt,
  refusalOf,
  remoteOf,
  stored,
  useUpstreams,
} from '../../harness/remote-repositories.ts';
import { useService } from '../../harness/service.ts';
import { serving, Upstream } from '../../harness/upstream.ts';

const service = useService();
useUpstreams(service);

/** A question hangs after 0.9 seconds, and has no answer after three. */
const answerMilliseconds = 6_000;
beforeAll(() => {
  process.env[environment.upstreamAnswerMilliseconds] = `${answerMilliseconds}`;
});

let upstream: Upstream;
let port: number;
beforeEach(async () => {
  upstream = new Upstream();
  await upstream.start();
  port = Number(new URL(upstream.url).port);
});
afterEach(async () => upstream.stop());

let files = 0;
const fetchFrom = (source: RemoteRepository, url = new URL(source.remoteRepositoryUrl).origin) => {
  files += 1;
  const file = `file-${files}`;
  return fetchAt(source, { ...address, file }, undefined, { url: `${url}/${file}`, mediaType: 'text/plain' });
};

const keyOf = ({ repositoryId }: RemoteRepository) => upstreamPauseKey(repositoryId);
const endPause = async (source: RemoteRepository) =>
  new Table().writeUnrecorded([{ update: keyOf(source), set: 'SET #until = :past', values: { ':past': 1 } }]);

const fail = async (source: RemoteRepository, times: number): Promise<string[]> => {
  const sentences: string[] = [];
  for (let time = 0; time < times; time += 1) sentences.push((await refusalOf(fetchFrom(source))).join(' '));
  return sentences;
};

const unreached = () => `UPSTREAM_TIMEOUT 127.0.0.1:${port} could not be reached: ECONNREFUSED.`;
const isPaused = /^UPSTREAM_TIMEOUT 127\.0\.0\.1:\d+ did not answer the last requests, and is not asked until 20.*Z\.$/;

/** A repository whose upstream was away for five questions, and is there again. */
const withOpenCircuit = async (fields: Parameters<typeof remoteOf>[2] = {}) => {
  const source = await remoteOf(service, upstream, fields);
  await upstream.stop();
  expect(await fail(source, 5)).toEqual(Array.from({ length: 5 }, unreached));
  upstream = new Upstream();
  upstream.answer = serving('the file');
  await upstream.start(port);
  return source;
};

describe('An upstream that did not answer five times', () => {
  it('is not asked for 30 seconds: everybody learns at once when to come back', async () => {
    const source = await withOpenCircuit();
    const error: unknown = await fetchFrom(source).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'UPSTREAM_TIMEOUT', message: expect.stringContaining('is not asked until') });
    const seconds = Number((error as ApiError).headers?.['Retry-After']);
    expect([seconds > 20, seconds <= 30]).toEqual([true, true]);
    for (const sentence of await fail(source, 3)) expect(sentence).toMatch(isPaused);
    expect(upstream.requests).toHaveLength(0);
  });

  it('is asked by one request when the pause is over, and by all when that has its answer', async () => {
    const source = await withOpenCircuit();
    await endPause(source);
    upstream.answer = (request, response) => setTimeout(() => serving('the file')(request, response), 500);
    const results = await Promise.allSettled(Array.from({ length: 10 }, async () => fetchFrom(source)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(upstream.requests).toHaveLength(1);
    await Promise.all(Array.from({ length: 10 }, async () => fetchFrom(source)));
    expect(upstream.requests).toHaveLength(11);
  });

  it('has another pause if that request has no answer either', async () => {
    const source = await withOpenCircuit();
    await upstream.stop();
    await endPause(source);
    expect(await fail(source, 1)).toEqual([unreached()]);
    for (const sentence of await fail(source, 2)) expect(sentence).toMatch(isPaused);
  });

  it('is no reason not to serve the stale copy at once', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: 0 });
    upstream.answer = serving('the file');
    await download(source);
    await upstream.stop();
    await fail(source, 5);
    expect(await download(source)).toMatchObject({ cache: 'stale' });
  });
});

describe('An upstream is asked on', () => {
  it('if it answers in between, as one does that only loses some connections', async () => {
    const source = await remoteOf(service, upstream);
    const away = `http://127.0.0.1:${port}`;
    for (let round = 0; round < 3; round += 1) {
      await upstream.stop();
      expect(await fail(source, 4)).toEqual(Array.from({ length: 4 }, unreached));
      upstream = new Upstream();
      upstream.answer = serving('the file');
      await upstream.start(port);
      await fetchFrom(source, away);
    }
  });

  it('if its answers are errors, whatever they say', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = (_request, response) => void response.writeHead(500).end();
    for (const sentence of await fail(source, 7)) expect(sentence).toContain('HTTP 500');
    expect(upstream.requests).toHaveLength(7);
  });

  it('and nothing is written about it while it answers', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving('the file');
    await Promise.all(Array.from({ length: 20 }, async () => fetchFrom(source)));
    expect(await stored(keyOf(source))).toBeUndefined();
  });
});

it('An upstream that begins its answers and never ends them counts as one that does not answer', async () => {
  const source = await remoteOf(service, upstream);
  upstream.answer = (_request, response) => void response.writeHead(200).write('begin');
  const refused = await Promise.all(Array.from({ length: 5 }, async () => refusalOf(fetchFrom(source))));
  for (const [, sentence] of refused) expect(sentence).toContain('sent less than');
  expect((await fail(source, 1))[0]).toMatch(isPaused);
});

describe('Questions that hang', () => {
  const soon = () => Date.now() + 20_000;
  const hanging = async (source: RemoteRepository, count: number) =>
    new Table().writeUnrecorded([
      {
        put: { ...keyOf(source), until: 0, hanging: count, hangingUntil: soon(), expiresAt: Math.ceil(soon() / 1000) },
      },
    ]);
  const busy = () => `UPSTREAM_BUSY 127.0.0.1:${port} has not answered the many requests that wait for it already.`;

  it('are so many at most, and those beyond them end at once', async () => {
    const source = await remoteOf(service, upstream);
    await hanging(source, hangingMax - 2);
    upstream.answer = () => {};
    const sentences = await Promise.all(
      Array.from({ length: 5 }, async () => (await refusalOf(fetchFrom(source))).join(' ')),
    );
    expect(sentences.filter((sentence) => sentence === busy())).toHaveLength(3);
    expect(sentences.filter((sentence) => sentence.includes('sent no answer within 3 seconds'))).toHaveLength(2);
    expect((await stored(keyOf(source)))?.hanging).toBe(hangingMax - 2);
    await hanging(source, hangingMax);
    upstream.requests.length = 0;
    expect(await fail(source, 1)).toEqual([busy()]);
    expect(upstream.requests).toHaveLength(0);
  });

  it('that were counted by processes which have ended are forgotten', async () => {
    const source = await remoteOf(service, upstream);
    await new Table().writeUnrecorded([
      { put: { ...keyOf(source), until: 0, hanging: hangingMax, hangingUntil: Date.now() - 1, expiresAt: 1 } },
    ]);
    upstream.answer = (request, response) => setTimeout(() => serving('the file')(request, response), 1_500);
    await fetchFrom(source);
    expect((await stored(keyOf(source)))?.hanging).toBe(0);
  });

  it('are no more than an install through a slow upstream has: 64 at once are all answered', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = (request, response) => setTimeout(() => serving('the file')(request, response), 1_000);
    const results = await Promise.allSettled(Array.from({ length: 64 }, async () => fetchFrom(source)));
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await stored(keyOf(source)))?.hanging ?? 0).toBe(0);
  });
});
