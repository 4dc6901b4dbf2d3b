import { createHash, randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
  type UploadPartCopyCommandInput,
} from '@aws-sdk/client-s3';
import { bucket as Bucket, clientOf, presign, refusal, useObjectStore } from '../../harness/object-store.ts';

const world = useObjectStore();

const megabytes = (count: number): Buffer => randomBytes(count * 1024 ** 2);
const md5 = (data: Buffer): Buffer => createHash('md5').update(data).digest();

/** One multipart upload. */
class Upload {
  readonly parts: CompletedPart[] = [];
  readonly Key: string;
  private UploadId = '';

  constructor(Key: string) {
    this.Key = Key;
  }

  get place() {
    return { Bucket, Key: this.Key, UploadId: this.UploadId };
  }

  async begin(input: Partial<CreateMultipartUploadCommandInput> = {}): Promise<this> {
    const begun = await world.s3.send(new CreateMultipartUploadCommand({ Bucket, Key: this.Key, ...input }));
    this.UploadId = begun.UploadId ?? '';
    return this;
  }

  async part(PartNumber: number, Body: Buffer | string): Promise<void> {
    const part = await world.s3.send(new UploadPartCommand({ ...this.place, PartNumber, Body }));
    this.parts.push({ ...part, PartNumber });
  }

  async copy(
    PartNumber: number,
    input: Pick<UploadPartCopyCommandInput, 'CopySource' | 'CopySourceRange'>,
  ): Promise<void> {
    const { CopyPartResult } = await world.s3.send(new UploadPartCopyCommand({ ...this.place, PartNumber, ...input }));
    this.parts.push({ ...CopyPartResult, PartNumber });
  }

  async complete(input: Partial<CompleteMultipartUploadCommandInput> = {}, Parts = this.parts) {
    const call = new CompleteMultipartUploadCommand({ ...this.place, MultipartUpload: { Parts }, ...input });
    return world.s3.send(call);
  }
}

const read = async (Key: string): Promise<Buffer> => {
  const { Body } = await world.s3.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? '');
};

describe('a multipart upload', () => {
  const [first, second, last] = [megabytes(5), megabytes(6), Buffer.from('the end')];

  it('makes one object of its parts, whose ETag is made of theirs', async () => {
    const upload = await new Upload('whole').begin({ ContentType: 'application/x-tar', Metadata: { a: '1' } });
    await upload.part(2, second);
    await upload.part(10, last);
    await upload.part(1, first);
    const Parts = upload.parts.toSorted((a, b) => Number(a.PartNumber) - Number(b.PartNumber));
    const listed = await world.s3.send(new ListPartsCommand(upload.place));
    expect(listed.Parts?.map(({ PartNumber, Size, ETag }) => [PartNumber, Size, ETag])).toEqual(
      [first, second, last].map((data, index) => [[1, 2, 10][index], data.length, `"${md5(data).toString('hex')}"`]),
    );
    const ETag = `"${md5(Buffer.concat([first, second, last].map(md5))).toString('hex')}-3"`;
    await expect(upload.complete({}, Parts)).resolves.toMatchObject({ ETag, Bucket, Key: 'whole' });
    const { Body, ...object } = await world.s3.send(new GetObjectCommand({ Bucket, Key: 'whole' }));
    expect(object).toMatchObject({ ETag, ContentType: 'application/x-tar', Metadata: { a: '1' } });
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? '');
    expect(bytes.equals(Buffer.concat([first, second, last]))).toBe(true);
  });

  it('lists its parts page by page, at most 1,000 at once', async () => {
    const upload = await new Upload('pages').begin();
    for (const number of [7, 1, 30]) await upload.part(number, 'data');
    const numbersOf = async (input: object) => {
      const listed = await world.s3.send(new ListPartsCommand({ ...upload.place, ...input }));
      const numbers = listed.Parts?.map(({ PartNumber }) => PartNumber);
      return [numbers, listed.IsTruncated, listed.NextPartNumberMarker, listed.MaxParts];
    };
    await expect(numbersOf({ MaxParts: 2 })).resolves.toEqual([[1, 7], true, '7', 2]);
    await expect(numbersOf({ MaxParts: 2, PartNumberMarker: '7' })).resolves.toEqual([[30], false, undefined, 2]);
    await expect(numbersOf({ MaxParts: 5_000 })).resolves.toEqual([[1, 7, 30], false, undefined, 1_000]);
  });

  it('takes a part at a presigned URL, of the signed length alone', async () => {
    const upload = await new Upload('presigned').begin();
    const { UploadId: uploadId } = upload.place;
    const query = { partNumber: '1', uploadId };
    const headers = { 'content-length': '5' };
    const url = await presign(world.store.url, { method: 'PUT', key: upload.place.Key, query, headers });
    const sent = async (body: string) => (await fetch(url, { method: 'PUT', body })).status;
    expect([await sent('longer'), await sent('again'), await sent('parts')]).toEqual([403, 200, 200]);
    const { Parts } = await world.s3.send(new ListPartsCommand(upload.place));
    expect(Parts?.map(({ ETag }) => ETag)).toEqual([`"${md5(Buffer.from('parts')).toString('hex')}"`]);
    await world.s3.send(new AbortMultipartUploadCommand(upload.place));
    expect(await sent('parts')).toBe(404);
  });

  it('shows nothing before it is complete', async () => {
    const upload = await new Upload('unfinished').begin();
    await upload.part(1, 'data');
    await expect(refusal(read('unfinished'))).resolves.toEqual([404, 'NoSuchKey']);
  });

  it('takes the last of several parts with one number', async () => {
    const upload = await new Upload('again').begin();
    await upload.part(1, 'first');
    await upload.part(1, 'second');
    await expect(refusal(upload.complete({}, upload.parts.slice(0, 1)))).resolves.toEqual([400, 'InvalidPart']);
    await upload.complete({}, upload.parts.slice(1));
    await expect(read('again')).resolves.toEqual(Buffer.from('second'));
  });

  it('is complete once: of several completions at the same time one holds', async () => {
    const upload = await new Upload('race').begin();
    await upload.part(1, first);
    await upload.part(2, last);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => upload.complete()));
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.name] : []));
    expect(reasons).toEqual(['NoSuchUpload', 'NoSuchUpload', 'NoSuchUpload', 'NoSuchUpload']);
    expect((await read('race')).equals(Buffer.concat([first, last]))).toBe(true);
  });

  it('may be given up', async () => {
    const upload = await new Upload('aborted').begin();
    await upload.part(1, 'data');
    await world.s3.send(new AbortMultipartUploadCommand(upload.place));
    const calls = [
      async () => upload.part(2, 'data'),
      async () => upload.complete(),
      async () => world.s3.send(new ListPartsCommand(upload.place)),
      async () => world.s3.send(new AbortMultipartUploadCommand(upload.place)),
    ];
    for (const call of calls) await expect(refusal(call())).resolves.toEqual([404, 'NoSuchUpload']);
  });

  it('belongs to its key, and its ID leads nowhere else', async () => {
    const upload = await new Upload('mine').begin();
    const other = new Upload('other');
    const places = [
      { ...upload.place, Key: 'other' },
      { ...other.place, UploadId: 'x' },
      { ...other.place, UploadId: `../uploads/${upload.place.UploadId}` },
      { ...other.place, UploadId: '..' },
    ];
    for (const place of places) {
      await expect(refusal(world.s3.send(new ListPartsCommand(place)))).resolves.toEqual([404, 'NoSuchUpload']);
    }
  });

  it.each([0, 10_001, 1.5])('has no part %d', async (number) => {
    const upload = await new Upload('numbers').begin();
    await expect(refusal(upload.part(number, 'data'))).resolves.toEqual([400, 'InvalidArgument']);
  });
});

describe('a completion', () => {
  const ready = async (...parts: readonly (Buffer | string)[]): Promise<Upload> => {
    const upload = await new Upload('ready').begin({ ChecksumAlgorithm: 'CRC32' });
    for (const [index, data] of parts.entries()) await upload.part(index + 1, data);
    return upload;
  };

  it('needs 5 MB of each part but the last', async () => {
    const upload = await ready(megabytes(5).subarray(1), 'end');
    await expect(refusal(upload.complete())).resolves.toEqual([400, 'EntityTooSmall']);
  });

  it('needs its parts in order, each as it was stored, and one at least', async () => {
    const upload = await ready(megabytes(5), 'end');
    const [one = {}, two = {}] = upload.parts;
    const refused = async (Parts: CompletedPart[]) => refusal(upload.complete({}, Parts));
    await expect(refused([two, one])).resolves.toEqual([400, 'InvalidPartOrder']);
    await expect(refused([one, one])).resolves.toEqual([400, 'InvalidPartOrder']);
    await expect(refused([one, { ...two, PartNumber: 3 }])).resolves.toEqual([400, 'InvalidPart']);
    await expect(refused([one, { ...two, ETag: one.ETag }])).resolves.toEqual([400, 'InvalidPart']);
    await expect(refused([one, { ...two, ChecksumCRC32: one.ChecksumCRC32 }])).resolves.toEqual([400, 'InvalidPart']);
    await expect(refused([])).resolves.toEqual([400, 'MalformedXML']);
  });

  it('must list the checksums of an upload that was begun with them', async () => {
    const upload = await ready('data');
    const Parts = upload.parts.map(({ ETag, PartNumber }) => ({ ETag, PartNumber }));
    await expect(refusal(upload.complete({}, Parts))).resolves.toEqual([400, 'InvalidRequest']);
    await upload.complete();
    const full = await new Upload('full').begin({ ChecksumAlgorithm: 'CRC64NVME' });
    const part = new UploadPartCommand({ ...full.place, PartNumber: 1, Body: 'data', ChecksumAlgorithm: 'CRC64NVME' });
    const { ETag } = await world.s3.send(part);
    await full.complete({}, [{ ETag, PartNumber: 1 }]);
    await expect(read('full')).resolves.toEqual(Buffer.from('data'));
  });

  it('is a conditional write, and leaves the upload when it is refused', async () => {
    await world.s3.send(new PutObjectCommand({ Bucket, Key: 'ready', Body: 'kept' }));
    const upload = await ready('data');
    await expect(refusal(upload.complete({ IfNoneMatch: '*' }))).resolves.toEqual([412, 'PreconditionFailed']);
    await expect(read('ready')).resolves.toEqual(Buffer.from('kept'));
    await upload.complete();
    await expect(read('ready')).resolves.toEqual(Buffer.from('data'));
  });
});

describe('a part', () => {
  it('must have the checksum that it comes with', async () => {
    const upload = await new Upload('sums').begin();
    const ChecksumCRC32 = Buffer.alloc(4).toString('base64');
    const part = new UploadPartCommand({ ...upload.place, PartNumber: 1, Body: 'data', ChecksumCRC32 });
    await expect(refusal(world.s3.send(part))).resolves.toEqual([400, 'BadDigest']);
  });

  it('must come with the algorithm of the upload, or with none; or with any when the upload has none', async () => {
    await (await new Upload('sums').begin()).part(1, 'data');
    const upload = await new Upload('sums').begin({ ChecksumAlgorithm: 'SHA256' });
    await expect(refusal(upload.part(1, 'data'))).resolves.toEqual([400, 'InvalidRequest']);
    const plain = clientOf(world.store.url, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    const part = await plain.send(new UploadPartCommand({ ...upload.place, PartNumber: 1, Body: 'data' }));
    expect(part.ChecksumSHA256).toBe(createHash('sha256').update('data').digest('base64'));
    plain.destroy();
  });

  it('may be a copy, whole or in part', async () => {
    const source = megabytes(12);
    await world.s3.send(new PutObjectCommand({ Bucket, Key: 'source ä', Body: source }));
    const CopySource = `/${Bucket}/source%20%C3%A4`;
    const upload = await new Upload('copied').begin();
    await upload.copy(1, { CopySource });
    await upload.copy(2, { CopySource, CopySourceRange: 'bytes=1000-5244000' });
    await upload.copy(3, { CopySource, CopySourceRange: 'bytes=0-0' });
    await upload.complete();
    const expected = Buffer.concat([source, source.subarray(1000, 5_244_001), source.subarray(0, 1)]);
    expect((await read('copied')).equals(expected)).toBe(true);
  });

  it('is no copy of what is not there', async () => {
    await world.s3.send(new PutObjectCommand({ Bucket, Key: 'small', Body: 'x' }));
    await world.s3.send(new PutObjectCommand({ Bucket, Key: 'large', Body: megabytes(6) }));
    const upload = await new Upload('copied').begin();
    const copied = async (key: string, CopySourceRange?: string) =>
      refusal(upload.copy(1, { CopySource: `${Bucket}/${key}`, CopySourceRange }));
    await expect(copied('nothing')).resolves.toEqual([404, 'NoSuchKey']);
    await expect(copied('large', 'bytes=0-6291456')).resolves.toEqual([400, 'InvalidArgument']);
    await expect(copied('large', 'bytes=5-4')).resolves.toEqual([400, 'InvalidArgument']);
    await expect(copied('large', 'bytes=5-')).resolves.toEqual([400, 'InvalidArgument']);
    await expect(copied('small', 'bytes=0-0')).resolves.toEqual([400, 'InvalidRequest']);
  });
});
