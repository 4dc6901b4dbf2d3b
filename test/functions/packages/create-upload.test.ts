import { createUpload } from '../../../functions/packages/contracts.ts';
import { partBytesMax, partBytesMin, partsMax, uploadBytesMax } from '../../../functions/packages/upload-limits.ts';
import { updateWorkspace } from '../../../functions/workspaces/contracts.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { announced, putUpload, type UploadFile } from '../../harness/uploads.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);

const version = { packageName: 'tools/formatter', packageVersion: '1.0.0' };
const file = announced('formatter.zip', 'the file');

const create = async (body: object, repository: Named = world.repository): Promise<Answer> =>
  service.client.attempt(createUpload, {
    params: world.params({ repository: repository.id }),
    body,
    as: world.admin.bearer,
  });

const filesOf = ({ result }: Answer): UploadFile[] => (result as { files: UploadFile[] }).files;

describe('POST /1/workspaces/{workspace}/repositories/{repository}/packages/uploads', () => {
  itAnswers('201 with a URL for each file, which takes its bytes without a credential', async () => {
    const other = announced('other.zip', 'the other file');
    const answer = await create({ ...version, files: [file, other] });
    expect(answer.result).toMatchObject({ files: [file, other] });
    const [first, second] = filesOf(answer) as [UploadFile, UploadFile];
    expect(await putUpload(first, 'the file')).toMatchObject({ status: 200 });
    expect(await putUpload(second, 'the other file')).toMatchObject({ status: 200 });
    return answer;
  });

  it('refuses other bytes, another length, another hash and another object at the URL', async () => {
    const [upload] = filesOf(await create({ ...version, files: [file] })) as [UploadFile];
    const statusAndCode = async (sent: UploadFile, content: string) => {
      const { status, text } = await putUpload(sent, content);
      return [status, /<Code>(\w+)</.exec(text)?.[1]];
    };
    const forged = `x-amz-checksum-sha256: ${Buffer.alloc(32).toString('base64')}`;
    const url = String(upload.uploadUrl);
    const elsewhere = url.replace('/staging/', '/blobs/');
    expect(await statusAndCode(upload, 'THE FILE')).toEqual([400, 'BadDigest']);
    expect(await statusAndCode(upload, 'the file and more')).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await statusAndCode({ ...upload, uploadHeader: forged }, 'the file')).toEqual([
      403,
      'SignatureDoesNotMatch',
    ]);
    expect(await statusAndCode({ ...upload, uploadHeader: 'x-none: 1' }, 'the file')).toEqual([
      403,
      'SignatureDoesNotMatch',
    ]);
    expect(await statusAndCode({ ...upload, uploadUrl: elsewhere }, 'the file')).toEqual([
      403,
      'SignatureDoesNotMatch',
    ]);
    expect((await fetch(url)).status).toBe(403);
  });

  it('gives each file an object of its own, whose key holds no name', async () => {
    const answers = [await create({ ...version, files: [file] }), await create({ ...version, files: [file] })];
    const keys = answers.flatMap(filesOf).map(({ uploadUrl }) => new URL(String(uploadUrl)).pathname);
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key).toMatch(/^\/[\w-]+\/staging\/[0-9a-f-]{36}-0$/);
  });

  itAnswers('201 for a tarball of npm, whose name and version are not announced', async () => {
    const repository = await service.world.repository(world.workspace);
    return create({ files: [announced('package-1.0.0.tgz', 'x')] }, repository);
  });

  itAnswers(
    '201 with parts for a file that one request cannot send, at most 1,000 in one answer of API Gateway',
    async () => {
      const sizeOf = (sizeInBytes: number) => ({ ...version, files: [{ ...file, sizeInBytes }] });
      const whole = await create(sizeOf(partBytesMax));
      const larger = await create(sizeOf(partBytesMax + 1));
      const largest = await create(sizeOf(uploadBytesMax));
      const many = await create({ ...sizeOf(partsMax * partBytesMin), partSizeInBytes: partBytesMin });
      expect(filesOf(whole)[0]).toMatchObject({ uploadUrl: expect.any(String), parts: [] });
      for (const answer of [larger, largest, many]) {
        const [sent] = filesOf(answer) as [UploadFile];
        expect([sent.uploadUrl, sent.uploadHeader, sent.parts[0]?.offsetInBytes]).toEqual([null, null, 0]);
        const ends = sent.parts.map(({ offsetInBytes, sizeInBytes }) => offsetInBytes + sizeInBytes);
        expect(sent.parts.slice(1).map(({ offsetInBytes }) => offsetInBytes)).toEqual(ends.slice(0, -1));
        expect([ends.at(-1), sent.parts.length <= partsMax]).toEqual([sent.sizeInBytes, true]);
        expect(sent.parts.filter(({ sizeInBytes }) => sizeInBytes > partBytesMax)).toEqual([]);
        expect(new Set(sent.parts.map(({ uploadUrl }) => uploadUrl)).size).toBe(sent.parts.length);
      }
      expect(filesOf(larger)[0]?.parts.map(({ sizeInBytes }) => sizeInBytes)).toEqual([...Array(20).fill(2 ** 28), 1]);
      expect(filesOf(many)[0]?.parts).toHaveLength(partsMax);
      // AWS adds a token of a thousand characters and more to each URL.
      expect(many.text.length + 2_000 * partsMax).toBeLessThan(4_500_000);
      return [whole, larger, largest, many];
    },
  );

  itAnswers(
    '400 REQUEST_INVALID for parts that S3 does not take, or that are too many: the sentence says which are few enough',
    async () => {
      const many = { ...version, files: [{ ...file, sizeInBytes: partsMax * partBytesMin + 1 }] };
      const tooMany = await create({ ...many, partSizeInBytes: partBytesMin });
      expect(tooMany.problem?.errors).toEqual([
        `These files need parts of at least ${6 * 1024 ** 2} bytes, because a session has at most 1000 parts.`,
      ]);
      expect((await create({ ...many, partSizeInBytes: 6 * 1024 ** 2 })).status).toBe(201);
      return [
        tooMany,
        await create({ ...many, partSizeInBytes: partBytesMin - 1 }),
        await create({ ...many, partSizeInBytes: partBytesMax + 1 }),
      ];
    },
  );

  itAnswers('400 REQUEST_INVALID for files that cannot be, and for a version where the file says it', async () => {
    const npm = await service.world.repository(world.workspace);
    const tooMany = Array.from({ length: 21 }, (_, index) => announced(`${index}`, 'x'));
    const half = { ...file, sizeInBytes: uploadBytesMax / 2 + 1 };
    return [
      await create({ ...version, files: [] }),
      await create({ ...version, files: tooMany }),
      await create({ ...version, files: [{ ...file, sizeInBytes: uploadBytesMax + 1 }] }),
      await create({ ...version, files: [half, { ...half, name: 'second' }] }),
      await create({ ...version, files: [{ ...file, sha256: file.sha256.toUpperCase() }] }),
      await create({ files: [file] }),
      await create({ ...version, files: [announced('package.tgz', 'x')] }, npm),
    ];
  });

  itAnswers('400 PACKAGE_INVALID for names that no file of the type has', async () => {
    const npm = await service.world.repository(world.workspace);
    const large = { ...announced('large.tgz', 'x'), sizeInBytes: 600 * 1024 * 1024 };
    return [
      await create({ ...version, packageName: 'a//b', files: [file] }),
      await create({ ...version, files: [{ ...file, name: '..' }] }),
      await create({ ...version, files: [file, file] }),
      await create({ files: [announced('package.zip', 'x')] }, npm),
      await create({ files: [large] }, npm),
    ];
  });

  itAnswers('400 REPOSITORY_READ_ONLY where nothing can be published', async () => {
    const remote = await createRemote(service, world.workspace, {
      packageType: 'universal',
      remoteRepositoryUrl: 'https://example.com/{package-name}/{version}/{file}',
    });
    const virtual = await createVirtual(service, world.workspace, [world.repository], { packageType: 'universal' });
    return Promise.all([remote, virtual].map((repository) => create({ ...version, files: [file] }, repository)));
  });

  itAnswers('403 QUOTA_EXCEEDED before a byte is sent that would exceed the storage limit', async () => {
    const workspace = await service.world.workspace();
    const params = { workspace: workspace.id };
    await service.client.succeed(updateWorkspace, { params, body: { storageLimit: 7 }, as: world.admin.bearer });
    const { id: repository } = await service.world.repository(workspace, uniqueName(), 'universal');
    const body = { ...version, files: [file] };
    return service.client.attempt(createUpload, { params: { ...params, repository }, body, as: world.admin.bearer });
  });
});
