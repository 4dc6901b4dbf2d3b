import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Table } from '../../../shared/table/client.ts';
import { beginHanging, hangingMax } from '../../../shared/table/packages/hanging-counts.ts';
import { upstreamPauseKey } from '../../../shared/table/packages/package-keys.ts';
import { noteSilence } from '../../../shared/table/packages/upstream-outages.ts';
import { readUsage } from '../../../shared/table/packages/usage.ts';
import { sha256 } from '../../harness/bytes.ts';
import {
  address,
  age,
  contentOf,
  download,
  endLeaseOf,
  fetchAt,
  keyOf,
  leaseKeyOf,
  refusalOf,
  remoteOf,
  stored,
  useRemotes,
} from '../../harness/remote-repositories.ts';
import { shareOf } from '../../harness/sampling.ts';
import { refusing, serving, Upstream } from '../../harness/upstream.ts';

const { service, upstream } = useRemotes();

const minutes = 60_000;

const lying = (_: unknown, response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Length': '100' });
  response.write('half', () => response.destroy());
};

const failures = [
  ['an error', () => refusing(503), 'gave no usable answer (HTTP 503)'],
  ['a demand for credentials', () => refusing(401), 'demands credentials, and this repository has none (HTTP 401)'],
  [
    'a refusal of rights',
    () => refusing(403),
    'forbids this, and this repository has no credentials for it (HTTP 403)',
  ],
  ['a status that means nothing here', () => refusing(204), 'gave no usable answer (HTTP 204)'],
  [
    'a redirect to a private address',
    () => refusing(302, { Location: 'http://169.254.169.254/' }),
    'leads to an address that is not a public host (HTTP 302)',
  ],
  ['less than its length', () => lying, 'broke its answer off: ECONNRESET (HTTP 200)'],
] as const;

describe('An upstream that fails', () => {
  it.each(shareOf(failures, 2))('with %s gives 502 with host and status', async (_, answer, sentence) => {
    const source = await remoteOf(service, upstream);
    upstream.answer = answer();
    expect(await refusalOf(download(source))).toEqual(['UPSTREAM_FAILED', `${upstream.host} ${sentence}.`]);
    expect(await stored(keyOf(source))).toBeUndefined();
    upstream.answer = serving('the file');
    expect(await download(source)).toMatchObject({ cache: 'miss' });
  });

  it.each(shareOf(failures, 2, 1))('with %s leaves the copy in its place for seven days', async (_, answer) => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: 0 });
    upstream.answer = serving('the file');
    await download(source);
    await age(keyOf(source), 7 * 24 * 60 * minutes - minutes);
    upstream.answer = answer();
    const stale = await download(source);
    expect(stale?.cache).toBe('stale');
    expect(await contentOf(stale?.file)).toBe('the file');
    await age(keyOf(source), minutes);
    expect((await refusalOf(download(source)))[0]).toBe('UPSTREAM_FAILED');
  });

  it('is asked once in 30 seconds, as long as there is a copy', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: 0 });
    upstream.answer = serving('the file');
    await download(source);
    upstream.answer = refusing(500);
    await download(source);
    expect(await download(source)).toMatchObject({ cache: 'stale' });
    expect(upstream.requests).toHaveLength(2);
    await endLeaseOf(leaseKeyOf(source));
    await download(source);
    expect(upstream.requests).toHaveLength(3);
  });

  it('to be reached gives 504', async () => {
    const gone = new Upstream();
    await gone.start();
    const source = await remoteOf(service, gone);
    const { host } = gone;
    await gone.stop();
    expect(await refusalOf(download(source))).toEqual([
      'UPSTREAM_TIMEOUT',
      `${host} could not be reached: ECONNREFUSED.`,
    ]);
  });

  it('by a hash that its index did not promise gives 502, and keeps nothing, however large the file', async () => {
    const source = await remoteOf(service, upstream);
    for (const size of [10, 20 * 1024 * 1024]) {
      upstream.answer = serving(randomBytes(size));
      const refused = await refusalOf(download(source, { sha256: sha256('another'), size }));
      expect(refused).toEqual([
        'UPSTREAM_FAILED',
        `${upstream.host} sent a file whose sha256 is not the promised one (HTTP 200).`,
      ]);
    }
    expect(await stored(keyOf(source))).toBeUndefined();
    expect(await readUsage(new Table(), source.repositoryId)).toEqual({ bytes: 0, files: 0, packages: 0 });
  });

  it('by another length than its index promised gives 502', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving('the file');
    expect((await refusalOf(download(source, { size: 7 })))[0]).toBe('UPSTREAM_FAILED');
  });

  it('to answer in ten seconds gives 504', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = () => {};
    expect(await refusalOf(download(source))).toEqual([
      'UPSTREAM_TIMEOUT',
      `${upstream.host} sent no answer within 10 seconds.`,
    ]);
  });
});

describe('An upstream that asks for a pause', () => {
  it('is, by the whole repository, as long as it says', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = refusing(429, { 'Retry-After': '120' });
    expect(await refusalOf(download(source))).toEqual([
      'UPSTREAM_FAILED',
      `${upstream.host} gave no usable answer (HTTP 429).`,
    ]);
    upstream.answer = serving('the file');
    const other = { ...address, name: 'another' };
    const file = { url: `${upstream.url}/another`, mediaType: 'text/plain' };
    const refused = await refusalOf(fetchAt(source, other, undefined, file));
    expect(refused).toMatchObject([
      'UPSTREAM_FAILED',
      expect.stringMatching(/ accepts no requests until 20.*\(HTTP 429\)\.$/),
    ]);
    expect(upstream.requests).toHaveLength(1);
    const key = upstreamPauseKey(source.repositoryId);
    const pause = await stored(key);
    expect(Math.abs((pause?.until ?? 0) - Date.now() - 2 * minutes)).toBeLessThan(5_000);
    await new Table().writeUnrecorded([{ put: { ...key, until: Date.now() - 1 } }]);
    expect(await download(source)).toMatchObject({ cache: 'miss' });
  });

  it.each([
    [{}, 30_000],
    [{ 'Retry-After': '86400' }, 60 * minutes],
  ])('with %j is for %i milliseconds', async (headers, milliseconds) => {
    const source = await remoteOf(service, upstream);
    upstream.answer = refusing(429, headers);
    await refusalOf(download(source));
    const key = upstreamPauseKey(source.repositoryId);
    const pause = await stored(key);
    expect(Math.abs((pause?.until ?? 0) - Date.now() - milliseconds)).toBeLessThan(5_000);
  });

  it('keeps the longest one that it asked for, and what hangs meanwhile stays counted', async () => {
    const source = await remoteOf(service, upstream);
    const key = upstreamPauseKey(source.repositoryId);
    const counted = { hanging: hangingMax - 2, hangingUntil: Date.now() + minutes };
    await new Table().writeUnrecorded([{ put: { ...key, until: 0, expiresAt: 0, ...counted } }]);
    const isPausedForLong = async () => ((await stored(key))?.until ?? 0) > Date.now() + 59 * minutes;
    const refuseLate = async (response: ServerResponse): Promise<void> => {
      while (!(await isPausedForLong())) await setTimeout(5);
      response.writeHead(429, { 'Retry-After': '1' }).end();
    };
    upstream.answer = (request, response) => {
      if (request.url === '/late') void refuseLate(response);
      else response.writeHead(429, { 'Retry-After': '3600' }).end();
    };
    const ask = async (file: string) =>
      refusalOf(
        fetchAt(source, { ...address, file }, undefined, { url: `${upstream.url}/${file}`, mediaType: 'text/plain' }),
      );
    const late = ask('late');
    while (upstream.requests.length === 0) await setTimeout(5);
    await ask('early');
    await late;
    expect(await stored(key)).toMatchObject(counted);
    expect(await isPausedForLong()).toBe(true);
    expect(await beginHanging(new Table(), key, hangingMax)).toBe(true);
    await noteSilence(new Table(), key, { isProbe: false, isSudden: false });
    const pause = await stored(key);
    expect(pause?.hanging).toBe(hangingMax - 1);
    expect((pause?.expiresAt ?? 0) * 1000).toBeGreaterThanOrEqual(pause?.until ?? Number.POSITIVE_INFINITY);
    expect(await isPausedForLong()).toBe(true);
  });

  it.each([
    ['before it was asked', -1],
    ['since it was asked', 30_000],
  ] as const)('ends a circuit that was opened %s: it has answered', async (_, milliseconds) => {
    const source = await remoteOf(service, upstream);
    const key = upstreamPauseKey(source.repositoryId);
    const open = async () => {
      const now = Date.now();
      const fields = { until: now + milliseconds, expiresAt: 0, silences: 5, silentSince: now };
      await new Table().writeUnrecorded([{ put: { ...key, ...fields } }]);
    };
    if (milliseconds < 0) await open();
    const refuse = refusing(429, { 'Retry-After': '10' });
    const isOpened = async (): Promise<void> => (milliseconds > 0 ? open() : undefined);
    upstream.answer = (request, response) => void isOpened().then(() => refuse(request, response));
    await refusalOf(download(source));
    const pause = await stored(key);
    expect(pause?.silences).toBeUndefined();
    expect(Math.abs((pause?.until ?? 0) - Date.now() - 10_000)).toBeLessThan(5_000);
  });

  it('still has its copies served', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: 0 });
    upstream.answer = serving('the file');
    await download(source);
    upstream.answer = refusing(429);
    expect(await download(source)).toMatchObject({ cache: 'stale' });
    expect(await download(source)).toMatchObject({ cache: 'stale' });
    expect(upstream.requests).toHaveLength(2);
  });
});
