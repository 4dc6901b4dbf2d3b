import { randomBytes } from 'node:crypto';
import { readBlob } from '../../../../shared/packages/blobs/stored-bytes.ts';
import { Table } from '../../../../shared/table/client.ts';
import { blobKey } from '../../../../shared/table/keys.ts';
import { missingFileKey, versionKey } from '../../../../shared/table/packages/package-keys.ts';
import { readUsage } from '../../../../shared/table/packages/usage.ts';
import { sha256 } from '../../../harness/bytes.ts';
import {
  address,
  age,
  contentOf,
  download,
  fetchAt,
  keyOf,
  refOf,
  remoteOf,
  stored,
  useRemotes,
} from '../../../harness/remote-repositories.ts';
import { refusing, serving } from '../../../harness/upstream.ts';

const { service, upstream } = useRemotes({ callsAs: 'fetcher' });

const minutes = 60_000;

describe('A file of an upstream', () => {
  it('is fetched once, and kept for ever where no time is set', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving('the file');
    const first = await download(source);
    expect(first?.cache).toBe('miss');
    expect(await contentOf(first?.file)).toBe('the file');
    await age(keyOf(source), 10 * 365 * 24 * 60 * minutes);
    expect(await download(source)).toMatchObject({ cache: 'hit' });
    expect(upstream.requests.map(({ headers }) => headers['user-agent'])).toEqual(['stockroom/0.0.0']);
    expect(await stored(keyOf(source))).toMatchObject({ origin: { kind: 'fetched', url: `${upstream.url}/tool` } });
    expect(await readUsage(new Table(), source.repositoryId)).toEqual({ bytes: 8, files: 1, packages: 1 });
  });

  it('goes through the staging area where it is large, and nothing else is left', async () => {
    const source = await remoteOf(service, upstream);
    const bytes = randomBytes(20 * 1024 * 1024);
    upstream.answer = serving(bytes);
    const fetched = await download(source, { sha256: sha256(bytes), size: bytes.length });
    const bytesStored = fetched && (await readBlob(new Table(), fetched.file.blob));
    expect(bytesStored && sha256(bytesStored)).toBe(sha256(bytes));
  });

  it('is checked once its time is over, by its ETag and its date, and then serves as long again', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: minutes });
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT';
    upstream.answer = serving('the file', { ETag: '"one"', 'Last-Modified': date });
    await download(source);
    await age(keyOf(source), minutes);
    expect(await download(source)).toMatchObject({ cache: 'revalidated' });
    expect(await download(source)).toMatchObject({ cache: 'hit' });
    expect(upstream.requests.map(({ headers }) => [headers['if-none-match'], headers['if-modified-since']])).toEqual([
      [undefined, undefined],
      ['"one"', date],
    ]);
  });

  it('is replaced by what the upstream has now, and the bytes of before are given back', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: minutes });
    upstream.answer = serving('before', { ETag: '"one"' });
    const before = await download(source);
    await age(keyOf(source), minutes);
    upstream.answer = serving('afterwards', { ETag: '"two"' });
    const after = await download(source);
    expect(after?.cache).toBe('miss');
    expect(await contentOf(after?.file)).toBe('afterwards');
    expect((await stored(keyOf(source)))?.copy).toMatchObject({ etag: '"two"' });
    const blobs = [before, after].map((fetched) => blobKey(source.workspaceId, fetched?.file.blob.sha256 ?? ''));
    const read = await new Table().read(blobs);
    expect(blobs.map((key) => read.find(key)?.references)).toEqual([0, 1]);
    expect(await readUsage(new Table(), source.repositoryId)).toEqual({ bytes: 10, files: 1, packages: 1 });
    const key = versionKey(refOf(source), address.version);
    expect(await stored(key)).toMatchObject({ sizeInBytes: 10, fileCount: 1 });
  });

  it('is only confirmed by the same bytes once more, from an upstream that knows no ETag', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: minutes });
    upstream.answer = serving('the file');
    await download(source);
    await age(keyOf(source), minutes);
    expect(await download(source)).toMatchObject({ cache: 'revalidated' });
    expect(await download(source)).toMatchObject({ cache: 'hit' });
    const key = blobKey(source.workspaceId, sha256('the file'));
    expect((await stored(key))?.references).toBe(1);
  });

  it('is never checked again where the index told its hash', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: 0 });
    upstream.answer = serving('the file');
    await download(source, { sha256: sha256('the file') });
    expect(await download(source)).toMatchObject({ cache: 'hit' });
    expect(upstream.requests).toHaveLength(1);
  });

  it('comes back as other bytes after it was deleted here', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: minutes });
    upstream.answer = serving('before');
    await download(source);
    await new Table().writeUnrecorded([
      { update: keyOf(source), set: 'SET #deletedAt = :now', values: { ':now': new Date().toISOString() } },
    ]);
    upstream.answer = serving('afterwards');
    const file = { url: `${upstream.url}/tool`, mediaType: 'text/plain' };
    const found = await fetchAt(source, address, undefined, file);
    expect(await contentOf(found?.file)).toBe('afterwards');
  });

  it('is kept once by 20 who fetch it at the same time, and served to all', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving('the file');
    service.proxy.conflictsLikeDynamoDb = true;
    // All of them have read before one of them takes the lease.
    service.proxy.answerMilliseconds = 50;
    const answers = await Promise.all(Array.from({ length: 20 }, () => download(source)));
    expect(upstream.requests).toHaveLength(1);
    expect([...new Set(answers.map((each) => each?.file.blob.objectId))]).toHaveLength(1);
    expect(await readUsage(new Table(), source.repositoryId)).toEqual({ bytes: 8, files: 1, packages: 1 });
    const key = blobKey(source.workspaceId, sha256('the file'));
    expect((await stored(key))?.references).toBe(1);
  });

  it('that is stale is asked for by one of 20, while the others take what is here', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: minutes });
    upstream.answer = serving('before');
    await download(source);
    await age(keyOf(source), minutes);
    upstream.answer = (request, response) => void setTimeout(() => serving('afterwards')(request, response), 500);
    const answers = await Promise.all(Array.from({ length: 20 }, () => download(source)));
    expect(answers.map((each) => String(each?.cache)).toSorted((one, other) => one.localeCompare(other))).toEqual([
      'miss',
      ...Array.from({ length: 19 }, () => 'stale'),
    ]);
    expect(upstream.requests).toHaveLength(2);
  });
});

describe('A copy that nobody may get any more', () => {
  it.each([
    ['other bytes', 'afterwards', '"two"'],
    ['the same bytes', 'before', '"two"'],
    ['no new bytes', 'before', '"one"'],
  ])('is asked for once, and all who come meanwhile get what the upstream has now: %s', async (_, content, etag) => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: minutes });
    upstream.answer = serving('before', { ETag: '"one"' });
    await download(source);
    await age(keyOf(source), 7 * 24 * 60 * minutes);
    upstream.requests.length = 0;
    upstream.answer = (request, response) =>
      void setTimeout(() => serving(content, { ETag: etag })(request, response), 500);
    const startedAt = Date.now();
    const answers = await Promise.all(Array.from({ length: 5 }, () => download(source)));
    const states = answers.map((each) => String(each?.cache)).toSorted();
    expect(states.filter((state) => state === 'hit')).toHaveLength(4);
    expect(states.includes('stale')).toBe(false);
    for (const { file } of answers.filter((each) => each !== undefined)) {
      expect(await contentOf(file)).toBe(content);
      // Who waited has the copy that was confirmed meanwhile, and not the one of before.
      if (answers.find((each) => each?.file === file)?.cache === 'hit')
        expect(file.copy?.checkedAt).toBeGreaterThanOrEqual(startedAt);
    }
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('The origin of a file', () => {
  it('is an address without what may be a credential in it', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving('the file');
    const url = `${upstream.url}/tool?X-Amz-Signature=secret-signature#secret-fragment`;
    await fetchAt(source, address, undefined, { url, mediaType: 'text/plain' });
    const kept = [await stored(keyOf(source)), await stored(versionKey(refOf(source), address.version))];
    for (const item of kept) expect(item?.origin).toEqual({ kind: 'fetched', url: `${upstream.url}/tool` });
    expect(upstream.requests.map(({ url: asked }) => asked)).toEqual(['/tool?X-Amz-Signature=secret-signature']);
  });
});

describe('An upstream without the file', () => {
  it.each([404, 410])('that says %i is not asked again for ten minutes', async (status) => {
    const source = await remoteOf(service, upstream);
    upstream.answer = refusing(status);
    expect(await download(source)).toBeUndefined();
    upstream.answer = serving('late');
    expect(await download(source)).toBeUndefined();
    expect(upstream.requests).toHaveLength(1);
    const key = missingFileKey(refOf(source), address.version, address.file);
    const missing = await stored(key);
    expect(Math.abs((missing?.expiresAt ?? 0) * 1000 - Date.now() - 10 * minutes)).toBeLessThan(5_000);
    await new Table().writeUnrecorded([{ put: { ...key, checkedAt: Date.now() - 10 * minutes } }]);
    expect(await download(source)).toMatchObject({ cache: 'miss' });
  });

  it('any more takes the copy with it', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: minutes });
    upstream.answer = serving('the file');
    await download(source);
    await age(keyOf(source), minutes);
    upstream.answer = refusing(404);
    expect(await download(source)).toBeUndefined();
  });
});
