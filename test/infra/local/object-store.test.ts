import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import { sha256 } from '../../harness/bytes.ts';
import { bucket as Bucket, presign, refusal, refusalIn, sign, useObjectStore } from '../../harness/object-store.ts';

const world = useObjectStore();

type Given<Input> = Omit<Input, 'Bucket'>;

const put = async (input: Given<PutObjectCommandInput>) => world.s3.send(new PutObjectCommand({ Bucket, ...input }));
const get = async (input: Given<GetObjectCommandInput>) => world.s3.send(new GetObjectCommand({ Bucket, ...input }));
const copy = async (input: Given<CopyObjectCommandInput>) => world.s3.send(new CopyObjectCommand({ Bucket, ...input }));
const read = async (input: Given<GetObjectCommandInput>): Promise<string> =>
  (await get(input)).Body?.transformToString() ?? '';
const list = async (input: Given<ListObjectsV2CommandInput>) =>
  world.s3.send(new ListObjectsV2Command({ Bucket, ...input }));
const keysOf = async (input: Given<ListObjectsV2CommandInput>) => (await list(input)).Contents?.map(({ Key }) => Key);

const md5 = (data: string | Buffer): string => createHash('md5').update(data).digest('hex');

describe('an object', () => {
  it('comes back as it was put, with its headers and its metadata', async () => {
    const headers = {
      ContentType: 'application/gzip',
      CacheControl: 'max-age=60',
      ContentDisposition: 'attachment; filename="a.tgz"',
      ContentEncoding: 'gzip',
      ContentLanguage: 'en',
      Metadata: { origin: 'https://registry.example/a b' },
    };
    const { ETag } = await put({ Key: 'whole', Body: 'hello', ...headers });
    expect(ETag).toBe(`"${md5('hello')}"`);
    const answer = await get({ Key: 'whole' });
    expect(answer).toMatchObject({ ...headers, ETag, ContentLength: 5, AcceptRanges: 'bytes' });
    expect(Math.abs(Date.now() - Number(answer.LastModified))).toBeLessThan(10_000);
    await expect(answer.Body?.transformToString()).resolves.toBe('hello');
  });

  it('has a content type also when none was given', async () => {
    await world.wire.send({ method: 'PUT', path: await pathAndQuery('PUT', 'untyped'), body: 'x' });
    expect((await get({ Key: 'untyped' })).ContentType).toBe('binary/octet-stream');
  });

  it('may be empty', async () => {
    await put({ Key: 'empty', Body: new Uint8Array() });
    await expect(read({ Key: 'empty' })).resolves.toBe('');
    await expect(world.s3.send(new HeadObjectCommand({ Bucket, Key: 'empty' }))).resolves.toMatchObject({
      ContentLength: 0,
      ETag: `"${md5('')}"`,
    });
  });

  it('of 20 MB streams in, chunked with a trailing checksum, and out again', async () => {
    const pieces = Array.from({ length: 20 }, () => randomBytes(1024 ** 2));
    await put({ Key: 'stream', Body: Readable.from(pieces), ContentLength: 20 * 1024 ** 2 });
    const { Body, ContentEncoding } = await get({ Key: 'stream' });
    expect(ContentEncoding).toBeUndefined();
    const back = await buffer(Body as Readable);
    expect(md5(back)).toBe(md5(Buffer.concat(pieces)));
  });

  it('comes in no stream of small pieces, as S3 takes none', async () => {
    const pieces = Readable.from([Buffer.alloc(8191), Buffer.alloc(1)]);
    const call = put({ Key: 'pieces', Body: pieces, ContentLength: 8192 });
    await expect(refusal(call)).resolves.toEqual([403, 'InvalidChunkSizeError']);
    await put({ Key: 'pieces', Body: Readable.from([Buffer.alloc(8192), Buffer.alloc(1)]), ContentLength: 8193 });
  });

  it('keeps its encoding beside that of the chunks', async () => {
    await put({ Key: 'encoded', Body: Readable.from([Buffer.from('x')]), ContentLength: 1, ContentEncoding: 'br' });
    expect((await get({ Key: 'encoded' })).ContentEncoding).toBe('br');
  });

  it('is replaced as a whole by the next put', async () => {
    await put({ Key: 'twice', Body: 'first', Metadata: { round: '1' } });
    await put({ Key: 'twice', Body: 'second' });
    const answer = await get({ Key: 'twice' });
    expect(answer.Metadata).toEqual({});
    await expect(answer.Body?.transformToString()).resolves.toBe('second');
  });

  it('is gone when it was deleted, and may be deleted again', async () => {
    await put({ Key: 'gone', Body: 'x' });
    for (const _ of ['once', 'again']) {
      const { $metadata } = await world.s3.send(new DeleteObjectCommand({ Bucket, Key: 'gone' }));
      expect($metadata.httpStatusCode).toBe(204);
    }
    await expect(refusal(get({ Key: 'gone' }))).resolves.toEqual([404, 'NoSuchKey']);
    await expect(refusal(world.s3.send(new HeadObjectCommand({ Bucket, Key: 'gone' })))).resolves.toEqual([
      404,
      'NotFound',
    ]);
  });

  it('lives in a bucket that exists', async () => {
    const elsewhere = { Bucket: 'elsewhere', Key: 'x', Body: 'x' };
    await expect(world.s3.send(new HeadBucketCommand({ Bucket }))).resolves.toMatchObject({});
    await expect(refusal(world.s3.send(new GetObjectCommand(elsewhere)))).resolves.toEqual([404, 'NoSuchBucket']);
    await expect(refusal(world.s3.send(new PutObjectCommand(elsewhere)))).resolves.toEqual([404, 'NoSuchBucket']);
  });
});

const pathAndQuery = async (method: string, key: string, query: Record<string, string> = {}): Promise<string> =>
  (await presign(world.store.url, { method, key, query })).replace(world.store.url, '');

describe('a key', () => {
  const odd = [
    'ä ö/ü.tgz',
    '漢字/🎉',
    'a+b c',
    'a%2fb',
    'a%252fb',
    "!'()*~-_.",
    'ends/with/',
    '/begins',
    'double//slash',
    '.',
    '..',
    'a/../../b',
    '&<>"\'',
    'question?mark#hash',
    'tab\tand\nline',
    `long/${'x'.repeat(1019)}`,
  ];
  it.each(odd)('may be %j', async (Key) => {
    await put({ Key, Body: Key });
    await expect(read({ Key })).resolves.toBe(Key);
    await expect(keysOf({ Prefix: Key })).resolves.toContain(Key);
    await world.s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } }));
    await expect(refusal(get({ Key }))).resolves.toEqual([404, 'NoSuchKey']);
  });

  it('of more than 1024 bytes is refused', async () => {
    await expect(refusal(put({ Key: 'ä'.repeat(513), Body: 'x' }))).resolves.toEqual([400, 'KeyTooLongError']);
  });

  it('that is not encoded well is refused', async () => {
    expect(refusalIn(await world.wire.send({ method: 'GET', path: `/${Bucket}/%E4` }))).toEqual([400, 'InvalidURI']);
  });
});

describe('a checksum', () => {
  // The check values that the catalogues of these algorithms give for 123456789.
  const values = [
    ['CRC32', 'ChecksumCRC32', 'cbf43926'],
    ['CRC32C', 'ChecksumCRC32C', 'e3069283'],
    ['CRC64NVME', 'ChecksumCRC64NVME', 'ae8b14860a799888'],
    ['SHA1', 'ChecksumSHA1', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
    ['SHA256', 'ChecksumSHA256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
  ] as const;
  const wrong = Buffer.alloc(32, 1);

  it.each(values)('by %s is verified, kept and told on request', async (ChecksumAlgorithm, member, hex) => {
    const Key = `sum/${ChecksumAlgorithm}`;
    const value = Buffer.from(hex, 'hex').toString('base64');
    const answer = await put({ Key, Body: '123456789', [member]: value });
    expect(answer).toMatchObject({ [member]: value, ChecksumType: 'FULL_OBJECT' });
    const { Body, ...told } = await get({ Key, ChecksumMode: 'ENABLED' });
    expect(told).toMatchObject({ [member]: value });
    await expect(Body?.transformToString()).resolves.toBe('123456789');
    const bad = wrong.subarray(0, hex.length / 2).toString('base64');
    await expect(refusal(put({ Key, Body: 'other', [member]: bad }))).resolves.toEqual([400, 'BadDigest']);
    await expect(read({ Key })).resolves.toBe('123456789');
  });

  it('is computed by the SDK for each algorithm and for a stream too', async () => {
    for (const [ChecksumAlgorithm, member, hex] of values) {
      const Body = Readable.from([Buffer.from('123456789')]);
      const answer = await put({ Key: 'sum/stream', Body, ContentLength: 9, ChecksumAlgorithm });
      expect(answer[member]).toBe(Buffer.from(hex, 'hex').toString('base64'));
    }
  });

  it('by MD5 is verified', async () => {
    const ContentMD5 = createHash('md5').update('right').digest('base64');
    await put({ Key: 'sum/md5', Body: 'right', ContentMD5 });
    await expect(refusal(put({ Key: 'sum/md5', Body: 'wrong', ContentMD5 }))).resolves.toEqual([400, 'BadDigest']);
    await expect(read({ Key: 'sum/md5' })).resolves.toBe('right');
  });

  it('by SHA-256 is what the ETag is made of, so that no MD5 is computed beside it, unless that is to be verified, too', async () => {
    const [right, other] = ['right', 'other'].map((text) => createHash('sha256').update(text).digest());
    const Key = 'sum/etag';
    const promise = { Key, Body: 'right', ChecksumSHA256: right?.toString('base64') };
    await expect(put(promise)).resolves.toMatchObject({ ETag: `"${right?.toString('hex').slice(0, 32)}"` });
    const md5Of = (text: string): string => createHash('md5').update(text).digest('base64');
    await put({ ...promise, ContentMD5: md5Of('right') });
    await expect(refusal(put({ ...promise, ContentMD5: md5Of('wrong') }))).resolves.toEqual([400, 'BadDigest']);
    const changed = { Key, Body: 'other', ChecksumSHA256: other?.toString('base64') };
    await expect(put(changed)).resolves.toMatchObject({ ETag: `"${other?.toString('hex').slice(0, 32)}"` });
    await expect(read({ Key })).resolves.toBe('other');
  });
});

describe('a conditional write', () => {
  it('with If-None-Match: * is refused when there is an object, which stays', async () => {
    await put({ Key: 'once', Body: 'first', IfNoneMatch: '*' });
    await expect(refusal(put({ Key: 'once', Body: 'second', IfNoneMatch: '*' }))).resolves.toEqual([
      412,
      'PreconditionFailed',
    ]);
    await expect(read({ Key: 'once' })).resolves.toBe('first');
  });

  it('with If-None-Match: * is won by one of ten at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const Key = `race/${round}`;
      const writes = Array.from({ length: 10 }, (_, writer) => put({ Key, Body: `${writer}`, IfNoneMatch: '*' }));
      const outcomes = await Promise.allSettled(writes);
      const winners = outcomes.flatMap(({ status }, writer) => (status === 'fulfilled' ? [`${writer}`] : []));
      expect(winners).toHaveLength(1);
      await expect(read({ Key })).resolves.toBe(winners[0]);
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.name] : []));
      expect(new Set(reasons)).toEqual(new Set(['PreconditionFailed']));
    }
  });

  it('with an ETag in If-None-Match is not implemented, as in S3', async () => {
    await expect(refusal(put({ Key: 'once', Body: 'x', IfNoneMatch: '"x"' }))).resolves.toEqual([
      501,
      'NotImplemented',
    ]);
  });

  it('with If-Match needs the object as it is', async () => {
    const { ETag } = await put({ Key: 'match', Body: '1' });
    await put({ Key: 'match', Body: '2', IfMatch: ETag });
    await expect(refusal(put({ Key: 'match', Body: '3', IfMatch: ETag }))).resolves.toEqual([
      412,
      'PreconditionFailed',
    ]);
    await expect(refusal(put({ Key: 'nothing', Body: '1', IfMatch: ETag }))).resolves.toEqual([404, 'NoSuchKey']);
    await expect(read({ Key: 'match' })).resolves.toBe('2');
  });

  it('is a deletion too', async () => {
    const { ETag } = await put({ Key: 'delete', Body: '1' });
    await put({ Key: 'delete', Body: '2' });
    const stale = new DeleteObjectCommand({ Bucket, Key: 'delete', IfMatch: ETag });
    await expect(refusal(world.s3.send(stale))).resolves.toEqual([412, 'PreconditionFailed']);
    await expect(read({ Key: 'delete' })).resolves.toBe('2');
  });
});

describe('a conditional read', () => {
  const before = new Date(Date.now() - 3_600_000);
  const after = new Date(Date.now() + 3_600_000);
  const other = '"00000000000000000000000000000000"';
  let ETag: string | undefined;
  beforeAll(async () => {
    ({ ETag } = await put({ Key: 'conditional', Body: 'x' }));
  });

  it.each([
    ['If-None-Match with its ETag', () => ({ IfNoneMatch: ETag }), 304],
    ['If-None-Match with its ETag among others', () => ({ IfNoneMatch: `${other}, ${ETag}` }), 304],
    ['If-None-Match with another one', () => ({ IfNoneMatch: other }), 200],
    ['If-None-Match: *', () => ({ IfNoneMatch: '*' }), 304],
    ['If-Match with its ETag', () => ({ IfMatch: ETag }), 200],
    ['If-Match with another one', () => ({ IfMatch: other }), 412],
    ['If-Modified-Since later', () => ({ IfModifiedSince: after }), 304],
    ['If-Modified-Since earlier', () => ({ IfModifiedSince: before }), 200],
    ['If-Unmodified-Since earlier', () => ({ IfUnmodifiedSince: before }), 412],
    ['If-Unmodified-Since later', () => ({ IfUnmodifiedSince: after }), 200],
    ['If-None-Match before If-Modified-Since', () => ({ IfNoneMatch: other, IfModifiedSince: after }), 200],
    ['If-Match before If-Unmodified-Since', () => ({ IfMatch: ETag, IfUnmodifiedSince: before }), 200],
  ])('by %s', async (_, condition, status) => {
    for (const Command of [GetObjectCommand, HeadObjectCommand]) {
      const call = world.s3.send(new Command({ Bucket, Key: 'conditional', ...condition() }));
      if (status === 200) await expect(call).resolves.toMatchObject({ ETag });
      else expect((await refusal(call))[0]).toBe(status);
    }
  });

  it('by If-Modified-Since holds for the very Last-Modified that was told', async () => {
    const { LastModified } = await get({ Key: 'conditional' });
    expect((await refusal(get({ Key: 'conditional', IfModifiedSince: LastModified })))[0]).toBe(304);
    await expect(get({ Key: 'conditional', IfUnmodifiedSince: LastModified })).resolves.toMatchObject({ ETag });
  });

  it('of 304 has no body, and the ETag', async () => {
    const headers = Object.entries({ 'If-None-Match': `${ETag}` });
    const reply = await world.wire.send({ method: 'GET', path: await pathAndQuery('GET', 'conditional'), headers });
    expect(reply).toMatchObject({ status: 304, text: '', headers: { etag: ETag } });
  });
});

describe('a range', () => {
  beforeAll(async () => {
    await put({ Key: 'digits', Body: '0123456789' });
    await put({ Key: 'no-digits', Body: new Uint8Array() });
  });

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-4', '4', 'bytes 4-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=7-99', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
  ])('of %s is %s', async (Range, text, ContentRange) => {
    const { Body, ...answer } = await get({ Key: 'digits', Range });
    expect(answer).toMatchObject({ ContentRange, ContentLength: text.length, $metadata: { httpStatusCode: 206 } });
    await expect(Body?.transformToString()).resolves.toBe(text);
  });

  it.each(['bytes=5-2', 'bytes=0-1,4-5', 'bytes=-', 'lines=1-2'])('of %s is passed over', async (Range) => {
    await expect(read({ Key: 'digits', Range })).resolves.toBe('0123456789');
  });

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('of %s is refused', async (Range) => {
    await expect(refusal(get({ Key: 'digits', Range }))).resolves.toEqual([416, 'InvalidRange']);
  });

  it('of an empty object is refused, with its length', async () => {
    const headers = Object.entries({ Range: 'bytes=0-0' });
    const reply = await world.wire.send({ method: 'GET', path: await pathAndQuery('GET', 'no-digits'), headers });
    expect(refusalIn(reply)).toEqual([416, 'InvalidRange']);
    expect(reply.headers['content-range']).toBe('bytes */0');
  });

  it('comes without the checksum of the whole, which the SDK would compare with it', async () => {
    const { ChecksumCRC32, Body } = await get({ Key: 'digits', Range: 'bytes=0-3', ChecksumMode: 'ENABLED' });
    expect(ChecksumCRC32).toBeUndefined();
    await expect(Body?.transformToString()).resolves.toBe('0123');
  });

  it('is answered to HEAD too', async () => {
    const head = await world.s3.send(new HeadObjectCommand({ Bucket, Key: 'digits', Range: 'bytes=2-3' }));
    expect(head).toMatchObject({ ContentLength: 2, ContentRange: 'bytes 2-3/10' });
  });
});

describe('a copy', () => {
  beforeAll(async () => {
    await put({ Key: 'from ä', Body: 'data', ContentType: 'text/plain', Metadata: { a: '1' } });
  });
  const CopySource = `${Bucket}/${encodeURIComponent('from ä')}`;

  it('has the data, the headers and the checksum of its source', async () => {
    const { CopyObjectResult } = await copy({ Key: 'to', CopySource });
    const answer = await get({ Key: 'to', ChecksumMode: 'ENABLED' });
    expect(answer).toMatchObject({ ContentType: 'text/plain', Metadata: { a: '1' }, ETag: CopyObjectResult?.ETag });
    expect(answer.ChecksumCRC32).toBe(CopyObjectResult?.ChecksumCRC32);
    await expect(answer.Body?.transformToString()).resolves.toBe('data');
  });

  it('has headers of its own on request', async () => {
    const own = { ContentType: 'text/html', Metadata: { b: '2' } };
    await copy({ Key: 'own', CopySource, MetadataDirective: 'REPLACE', ...own });
    await expect(get({ Key: 'own' })).resolves.toMatchObject(own);
  });

  it('onto itself keeps the data', async () => {
    await put({ Key: 'self', Body: 'data' });
    await copy({ Key: 'self', CopySource: `${Bucket}/self`, MetadataDirective: 'REPLACE', ContentType: 'text/css' });
    await expect(read({ Key: 'self' })).resolves.toBe('data');
  });

  it('needs a source, under the condition on it', async () => {
    await expect(refusal(copy({ Key: 'x', CopySource: `${Bucket}/nothing` }))).resolves.toEqual([404, 'NoSuchKey']);
    for (const condition of [{ CopySourceIfMatch: '"other"' }, { CopySourceIfNoneMatch: '*' }]) {
      await expect(refusal(copy({ Key: 'x', CopySource, ...condition }))).resolves.toEqual([412, 'PreconditionFailed']);
    }
    await expect(refusal(get({ Key: 'x' }))).resolves.toEqual([404, 'NoSuchKey']);
  });

  it('is a conditional write too', async () => {
    await put({ Key: 'taken', Body: 'kept' });
    const call = copy({ Key: 'taken', CopySource, IfNoneMatch: '*' });
    await expect(refusal(call)).resolves.toEqual([412, 'PreconditionFailed']);
    await expect(read({ Key: 'taken' })).resolves.toBe('kept');
  });

  it('never reads outside the buckets', async () => {
    await expect(refusal(copy({ Key: 'x', CopySource: '../x/y' }))).resolves.toEqual([400, 'InvalidBucketName']);
    await expect(refusal(copy({ Key: 'x', CopySource: '%2e%2e/y' }))).resolves.toEqual([400, 'InvalidBucketName']);
  });
});

describe('a list', () => {
  // By UTF-8 the emoji comes last; by UTF-16, as JavaScript sorts, it comes before U+FF5E.
  const keys = [
    'list/a',
    'list/a/1',
    'list/a/2',
    'list/b',
    'list/b-1',
    'list/b/1',
    'list/c&<',
    'list/ä',
    'list/～',
    'list/🎉',
  ];
  beforeAll(async () => {
    for (const Key of keys.toReversed()) await put({ Key, Body: Key });
  });

  it('has the keys with a prefix, in the order of their bytes', async () => {
    const { Contents, ...rest } = await list({ Prefix: 'list/' });
    expect(Contents?.map(({ Key }) => Key)).toEqual(keys);
    expect(Contents?.[0]).toMatchObject({ Size: 6, ETag: `"${md5('list/a')}"` });
    expect(rest).toMatchObject({ Name: Bucket, Prefix: 'list/', KeyCount: keys.length, IsTruncated: false });
  });

  it('gathers what shares a beginning up to the delimiter', async () => {
    const { Contents, CommonPrefixes, KeyCount } = await list({ Prefix: 'list/', Delimiter: '/' });
    expect(CommonPrefixes).toEqual([{ Prefix: 'list/a/' }, { Prefix: 'list/b/' }]);
    expect(Contents?.map(({ Key }) => Key)).toEqual(keys.filter((key) => key.split('/').length === 2));
    expect(KeyCount).toBe(9);
  });

  it.each([undefined, '/'])('goes on from page to page, by the delimiter %s', async (Delimiter) => {
    const whole = await list({ Prefix: 'list/', Delimiter });
    const found: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await list({ Prefix: 'list/', Delimiter, MaxKeys: 2, ContinuationToken });
      expect(page.KeyCount).toBeLessThanOrEqual(2);
      found.push(
        ...(page.Contents ?? []).map(({ Key }) => Key),
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
      );
      ContinuationToken = page.NextContinuationToken;
      expect(page.IsTruncated).toBe(ContinuationToken !== undefined);
    } while (ContinuationToken !== undefined);
    const all = [
      ...(whole.Contents ?? []).map(({ Key }) => Key),
      ...(whole.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
    ];
    expect(new Set(found)).toEqual(new Set(all));
    expect(found).toHaveLength(all.length);
  });

  it('starts after a key', async () => {
    await expect(keysOf({ Prefix: 'list/', StartAfter: 'list/b' })).resolves.toEqual(keys.slice(4));
    const { CommonPrefixes } = await list({ Prefix: 'list/', Delimiter: '/', StartAfter: 'list/a/1' });
    expect(CommonPrefixes?.[0]).toEqual({ Prefix: 'list/a/' });
  });

  it('may be empty', async () => {
    await expect(list({ Prefix: 'none/' })).resolves.toMatchObject({ KeyCount: 0, IsTruncated: false });
    await expect(list({ Prefix: 'list/', MaxKeys: 0 })).resolves.toMatchObject({ KeyCount: 0, IsTruncated: false });
  });
});

describe('a batch of deletions', () => {
  const batch = (keys: readonly string[], Quiet?: boolean) =>
    new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })), Quiet } });

  it('removes what is there, and tells of all', async () => {
    await put({ Key: 'batch/1', Body: '1' });
    const { Deleted, Errors } = await world.s3.send(batch(['batch/1', 'batch/none']));
    expect({ Deleted, Errors }).toEqual({ Deleted: [{ Key: 'batch/1' }, { Key: 'batch/none' }], Errors: undefined });
    await expect(refusal(get({ Key: 'batch/1' }))).resolves.toEqual([404, 'NoSuchKey']);
  });

  it('may be quiet', async () => {
    expect((await world.s3.send(batch(['batch/1'], true))).Deleted).toBeUndefined();
  });

  it('has at most 1000 objects, and at least one', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => `batch/${index}`);
    for (const keys of [many, []]) {
      await expect(refusal(world.s3.send(batch(keys)))).resolves.toEqual([400, 'MalformedXML']);
    }
  });

  it('must come with a checksum', async () => {
    const body = '<Delete><Object><Key>x</Key></Object></Delete>';
    const payload = sha256(body);
    const request = { method: 'POST', key: '', query: { delete: '' }, headers: { 'x-amz-content-sha256': payload } };
    const headers = Object.entries(await sign(world.store.url, request));
    const reply = await world.wire.send({ method: 'POST', path: `/${Bucket}/?delete=`, headers, body });
    expect(refusalIn(reply)).toEqual([400, 'InvalidRequest']);
  });
});

describe('what the store does not do', () => {
  it.each(['acl', 'tagging', 'versioning', 'uploads'])('is refused: ?%s', async (name) => {
    const reply = await world.wire.send({ method: 'GET', path: await pathAndQuery('GET', 'whole', { [name]: '' }) });
    expect(refusalIn(reply)).toEqual([501, 'NotImplemented']);
  });

  it.each([{ Tagging: 'a=b' }, { ACL: 'public-read' as const }, { ServerSideEncryption: 'aws:kms' as const }])(
    'is refused: %j',
    async (wish) => {
      await expect(refusal(put({ Key: 'wish', Body: 'x', ...wish }))).resolves.toEqual([501, 'NotImplemented']);
    },
  );
});
