import { gzipSync } from 'node:zlib';
import { loadDocument, type UpstreamDocument } from '../../../../shared/packages/fetch/remote-documents.ts';
import { fetchRequest } from '../../../../shared/packages/upstream/upstream-request.ts';
import { Table } from '../../../../shared/table/client.ts';
import { blobKey } from '../../../../shared/table/keys.ts';
import {
  cachedDocumentKey,
  documentFetchKey,
  packagesList,
  upstreamPauseKey,
} from '../../../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../../../shared/table/repositories/repositories.ts';
import {
  age,
  endLeaseOf,
  inRequest,
  refOf,
  refusalOf,
  remoteOf,
  stored,
  useRemotes,
} from '../../../harness/remote-repositories.ts';
import { refusing, serving } from '../../../harness/upstream.ts';

const { service, upstream } = useRemotes({ callsAs: 'fetcher' });

const minutes = 60_000;

interface Index {
  readonly versions: readonly string[];
}

/** A format that keeps the versions of an index and drops what else is in it. */
const wantedOf = (): UpstreamDocument<Index> => ({
  name: 'tool',
  document: 'index',
  url: `${upstream.url}/tool`,
  accept: 'application/json',
  condense: (sent) => Buffer.from((JSON.parse(sent.toString()) as Index).versions.join('\n')),
  parse: (kept) => ({ versions: Buffer.from(kept).toString().split('\n') }),
});

const contentOf = async (loaded: Awaited<ReturnType<typeof loadDocument<Index>>>) =>
  loaded && { document: await loaded.read(), cache: loaded.cache };

const load = async (source: RemoteRepository, wanted = wantedOf()) =>
  inRequest(async (table) => contentOf(await loadDocument(fetchRequest({ table }), source, wanted)));

const indexOf = (...versions: readonly string[]): string => JSON.stringify({ versions, readme: 'long' });

const keyOf = (source: RemoteRepository) => cachedDocumentKey(refOf(source), 'index');

const referencesOf = async ({ workspaceId }: RemoteRepository, sha256 = '') =>
  (await stored(blobKey(workspaceId, sha256)))?.references;

describe('A document of an upstream', () => {
  it('is asked for once, and what the format keeps of it is served for ever where no time is set', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving(indexOf('1.0.0', '1.1.0'));
    expect(await load(source)).toEqual({ document: { versions: ['1.0.0', '1.1.0'] }, cache: 'miss' });
    await age(keyOf(source), 10 * 365 * 24 * 60 * minutes);
    expect(await load(source)).toEqual({ document: { versions: ['1.0.0', '1.1.0'] }, cache: 'hit' });
    expect(upstream.requests.map(({ headers }) => [headers.accept, headers['accept-encoding']])).toEqual([
      ['application/json', 'gzip'],
    ]);
    const { items } = await new Table().query(packagesList(source.repositoryId));
    expect(items).toMatchObject([{ position: 'tool', item: { isEmpty: true } }]);
  });

  it('is there for a request that needs it twice, although it is kept beside the first answer', async () => {
    const source = await remoteOf(service, upstream);
    // So many that an object keeps them, which takes longer than the next read.
    upstream.answer = serving(
      indexOf(...Array.from({ length: 5_000 }, (_, index) => `1.${index}.${index ** 3 % 9_973}`)),
    );
    const [caches, { calls }] = await inRequest(async (table) => {
      const once = async () => (await loadDocument(fetchRequest({ table }), source, wantedOf()))?.cache;
      return [[await once(), await once()], table.usage];
    });
    expect([caches, upstream.requests.length]).toEqual([['miss', 'hit'], 1]);
    // A read, the lease, the announcement of the object, the write that keeps it, and a read.
    expect(calls).toBe(5);
  });

  it('is read from the store by a process that did not fetch it', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving(indexOf('1.0.0'));
    await load(source);
    await jest.isolateModulesAsync(async () => {
      const anew = await import('../../../../shared/packages/fetch/remote-documents.ts');
      expect(
        await inRequest(async (table) =>
          contentOf(await anew.loadDocument(fetchRequest({ table }), source, wantedOf())),
        ),
      ).toMatchObject({
        document: { versions: ['1.0.0'] },
        cache: 'hit',
      });
    });
  });

  it('that is compressed is inflated', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving(gzipSync(indexOf('1.0.0')), { 'Content-Encoding': 'gzip' });
    expect(await load(source)).toMatchObject({ document: { versions: ['1.0.0'] } });
  });

  it('is checked once its time is over, and then serves as long again', async () => {
    const source = await remoteOf(service, upstream, { metadataCacheTimeTillRevalidation: minutes });
    upstream.answer = serving(indexOf('1.0.0'), { ETag: '"one"' });
    await load(source);
    await age(keyOf(source), minutes);
    expect(await load(source)).toEqual({ document: { versions: ['1.0.0'] }, cache: 'revalidated' });
    expect(await load(source)).toMatchObject({ cache: 'hit' });
    expect(upstream.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"']);
  });

  it('shows what is new at the upstream once its time is over, and gives the bytes of before back', async () => {
    const source = await remoteOf(service, upstream, { metadataCacheTimeTillRevalidation: minutes });
    upstream.answer = serving(indexOf('1.0.0'), { ETag: '"one"' });
    await load(source);
    const before = (await stored(keyOf(source)))?.blob;
    upstream.answer = serving(indexOf('1.0.0', '2.0.0'), { ETag: '"two"' });
    expect(await load(source)).toMatchObject({ document: { versions: ['1.0.0'] }, cache: 'hit' });
    await age(keyOf(source), minutes);
    expect(await load(source)).toEqual({ document: { versions: ['1.0.0', '2.0.0'] }, cache: 'miss' });
    expect(await load(source)).toEqual({ document: { versions: ['1.0.0', '2.0.0'] }, cache: 'hit' });
    const after = (await stored(keyOf(source)))?.blob;
    expect([await referencesOf(source, before?.sha256), await referencesOf(source, after?.sha256)]).toEqual([0, 1]);
  });

  it('has a revision that changes with it, whoever asks', async () => {
    const source = await remoteOf(service, upstream, { metadataCacheTimeTillRevalidation: minutes });
    const revision = async () =>
      (await inRequest(async (table) => loadDocument(fetchRequest({ table }), source, wantedOf())))?.revision;
    upstream.answer = serving(indexOf('1.0.0'));
    const first = await revision();
    expect(first).toBeDefined();
    expect(await revision()).toBe(first);
    await age(keyOf(source), minutes);
    upstream.answer = serving(indexOf('2.0.0'));
    expect(await revision()).not.toBe(first);
  });

  it('is kept once by 20 who ask for it at the same time', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving(indexOf('1.0.0'));
    service.proxy.conflictsLikeDynamoDb = true;
    const loaded = await Promise.all(Array.from({ length: 20 }, () => load(source)));
    expect(loaded).toEqual(
      Array.from({ length: 20 }, () => expect.objectContaining({ document: { versions: ['1.0.0'] } })),
    );
    expect(await referencesOf(source, (await stored(keyOf(source)))?.blob?.sha256)).toBe(1);
  });

  it('that is stale is asked for by one of 20, while the others take what is here', async () => {
    const source = await remoteOf(service, upstream, { metadataCacheTimeTillRevalidation: minutes });
    upstream.answer = serving(indexOf('1.0.0'));
    await load(source);
    await age(keyOf(source), minutes);
    upstream.answer = (request, response) => void setTimeout(() => serving(indexOf('2.0.0'))(request, response), 500);
    const loaded = await Promise.all(Array.from({ length: 20 }, () => load(source)));
    const states = loaded.map((each) => `${each?.cache} ${each?.document.versions.join(' ')}`);
    expect(states.toSorted()).toEqual(['miss 2.0.0', ...Array.from({ length: 19 }, () => 'stale 1.0.0')]);
    expect(upstream.requests).toHaveLength(2);
  });

  it('is asked for again by another one, should the first never come back', async () => {
    const source = await remoteOf(service, upstream, { metadataCacheTimeTillRevalidation: minutes });
    upstream.answer = serving(indexOf('1.0.0'));
    await load(source);
    await age(keyOf(source), minutes);
    upstream.answer = refusing(500);
    await load(source);
    upstream.answer = serving(indexOf('2.0.0'));
    expect(await load(source)).toMatchObject({ cache: 'stale' });
    await endLeaseOf(documentFetchKey(refOf(source), 'index'));
    expect(await load(source)).toMatchObject({ document: { versions: ['2.0.0'] }, cache: 'miss' });
  });

  it('is kept nowhere when the repository is emptied meanwhile', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving(indexOf('1.0.0'));
    const emptied = { ...source, contentId: 'before' };
    expect(await load(emptied)).toMatchObject({ document: { versions: ['1.0.0'] } });
    expect(await stored(cachedDocumentKey({ contentId: 'before', name: 'tool' }, 'index'))).toBeUndefined();
  });
});

describe('An upstream without the document', () => {
  it.each([404, 410])('that says %i is not asked again for a minute', async (status) => {
    const source = await remoteOf(service, upstream);
    upstream.answer = refusing(status);
    expect(await load(source)).toBeUndefined();
    upstream.answer = serving(indexOf('1.0.0'));
    expect(await load(source)).toBeUndefined();
    expect(upstream.requests).toHaveLength(1);
    expect(Math.abs(((await stored(keyOf(source)))?.expiresAt ?? 0) * 1000 - Date.now() - minutes)).toBeLessThan(5_000);
    await age(keyOf(source), minutes);
    expect(await load(source)).toMatchObject({ cache: 'miss' });
    expect((await stored(keyOf(source)))?.expiresAt).toBeUndefined();
  });

  it('any more takes the copy with it', async () => {
    const source = await remoteOf(service, upstream, { metadataCacheTimeTillRevalidation: minutes });
    upstream.answer = serving(indexOf('1.0.0'));
    await load(source);
    const blob = (await stored(keyOf(source)))?.blob;
    await age(keyOf(source), minutes);
    upstream.answer = refusing(404);
    expect(await load(source)).toBeUndefined();
    expect(await referencesOf(source, blob?.sha256)).toBe(0);
    expect(await stored(keyOf(source))).not.toHaveProperty('blob');
  });

  it('any more is remembered as long as a gate may ask for the times that it had', async () => {
    const source = await remoteOf(service, upstream, {
      packageType: 'npm',
      remoteRepositoryUrl: upstream.url,
      releaseGate: {},
      metadataCacheTimeTillRevalidation: minutes,
    });
    const wanted: UpstreamDocument<Index> = {
      ...wantedOf(),
      releases: ({ versions }) => versions.map((version) => ({ id: version, version })),
    };
    for (const versions of [['1.0.0'], ['1.0.0', '1.1.0']]) {
      upstream.answer = serving(indexOf(...versions));
      await load(source, wanted);
      await age(keyOf(source), minutes);
    }
    const seenAt = (await stored(keyOf(source)))?.releases?.seen['1.1.0'] ?? 0;
    upstream.answer = refusing(404);
    for (let question = 0; question < 2; question += 1) {
      expect(await load(source, wanted)).toBeUndefined();
      const { releases, expiresAt = 0 } = (await stored(keyOf(source))) ?? {};
      expect([releases?.seen, expiresAt]).toEqual([{ '1.1.0': seenAt }, Math.ceil(seenAt / 1000) + 8_760 * 3_600]);
      await age(keyOf(source), minutes);
    }
    upstream.answer = serving(indexOf('1.0.0', '1.1.0'));
    await load(source, wanted);
    const { releases, expiresAt } = (await stored(keyOf(source))) ?? {};
    expect([releases?.seen, expiresAt]).toEqual([{ '1.1.0': seenAt }, undefined]);
  });
});

describe('An upstream that fails', () => {
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024));

  it.each([
    ['an error', () => refusing(503), 'gave no usable answer (HTTP 503)'],
    ['no such document', () => serving('<html>'), 'sent a document that is not valid for this package type (HTTP 200)'],
    [
      'more than it may inflate to',
      () => serving(bomb, { 'Content-Encoding': 'gzip' }),
      'sent metadata that inflates more than 200 times (HTTP 200)',
    ],
    [
      'more than it may send',
      () => serving(Buffer.alloc(65 * 1024 * 1024)),
      'sent metadata of more than 67108864 bytes (HTTP 200)',
    ],
  ])('with %s gives 502 without a copy, and with one the copy for seven days', async (_, answer, sentence) => {
    const source = await remoteOf(service, upstream, { metadataCacheTimeTillRevalidation: 0 });
    upstream.answer = answer();
    expect(await refusalOf(load(source))).toEqual(['UPSTREAM_FAILED', `${upstream.host} ${sentence}.`]);
    expect(await stored(keyOf(source))).toBeUndefined();
    upstream.answer = serving(indexOf('1.0.0'));
    await load(source);
    upstream.answer = answer();
    expect(await load(source)).toEqual({ document: { versions: ['1.0.0'] }, cache: 'stale' });
    await age(keyOf(source), 7 * 24 * 60 * minutes);
    expect((await refusalOf(load(source)))[0]).toBe('UPSTREAM_FAILED');
  });

  it('with 429 is not asked again before its time, for files either', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = refusing(429, { 'Retry-After': '60' });
    expect((await refusalOf(load(source)))[0]).toBe('UPSTREAM_FAILED');
    expect((await refusalOf(load(source, { ...wantedOf(), name: 'another' })))[1]).toMatch(/accepts no requests until/);
    expect(upstream.requests).toHaveLength(1);
    expect(await stored(upstreamPauseKey(source.repositoryId))).toBeDefined();
  });
});

describe('A repository that keeps nothing', () => {
  it('asks for its documents each time', async () => {
    const source = await remoteOf(service, upstream, { isRemoteCacheEnabled: false });
    upstream.answer = serving(indexOf('1.0.0'), { ETag: '"one"' });
    expect(await load(source)).toEqual({ document: { versions: ['1.0.0'] }, cache: 'miss' });
    expect(await load(source)).toMatchObject({ cache: 'miss' });
    upstream.answer = refusing(404);
    expect(await load(source)).toBeUndefined();
    expect(upstream.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined, undefined]);
    expect(await stored(keyOf(source))).toBeUndefined();
  });
});
