import { createHash, randomBytes } from 'node:crypto';
import { getMavenFile } from '../../../functions/maven/contracts.ts';
import { getPackageVersion } from '../../../functions/packages/contracts.ts';
import { partBytesMin } from '../../../functions/packages/upload-limits.ts';
import { getUniversalFile } from '../../../functions/universal/contracts.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { useService } from '../../harness/service.ts';
import { brokenContent } from '../../harness/stored-packages.ts';
import { bytesOf, putPart, putStaged, type TestUpload, type UploadPart, useUploads } from '../../harness/uploads.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);
const uploads = useUploads(service, world);

/** Two parts, of which the last is shorter, or three. */
const bytesOfTwo = partBytesMin + 1_000;
const bytesOfThree = bytesOfTwo + partBytesMin;
const options = { partSizeInBytes: partBytesMin };
const begin = async (bytes: Uint8Array): Promise<TestUpload> => uploads.begin({ 'file.bin': bytes }, options);
const arrived = async (bytes: Uint8Array): Promise<TestUpload> => uploads.arrived({ 'file.bin': bytes }, options);
const { complete, urlsOf } = uploads;

const partsOf = ({ files }: TestUpload): readonly UploadPart[] => files.flatMap(({ parts }) => parts);

const send = async (part: UploadPart | undefined, content: Uint8Array) => {
  if (!part) throw new Error('There is no such part.');
  return putPart(part, bytesOf(part, content));
};

const fileOf = async ({ name }: TestUpload): Promise<Answer> =>
  service.client.attempt(getPackageVersion, {
    params: world.params({ package: name, version: '1.0.0' }),
    as: world.admin.bearer,
  });

const downloaded = async ({ name }: TestUpload): Promise<Buffer> => {
  const params = world.params({ path: `${name}/1.0.0/file.bin` });
  const { headers } = await service.client.attempt(getUniversalFile, { params, as: world.admin.bearer });
  return Buffer.from(await (await fetch(String(headers.location))).arrayBuffer());
};

/** The runs of the verification and the writes of the store since both proxies forgot. */
const writesOf = (prefix: string): string[] =>
  service.store.calls
    .filter(({ key, method }) => key.startsWith(prefix) && method !== 'HEAD')
    .map(({ method }) => method);

describe('A file that is sent in parts', () => {
  itAnswers('201 with only its SHA-256, and it comes back as it was', async () => {
    const bytes = randomBytes(bytesOfThree);
    const session = await begin(bytes);
    expect(session.files).toMatchObject([{ uploadUrl: null, uploadHeader: null }]);
    expect(
      partsOf(session).map(({ number, offsetInBytes, sizeInBytes }) => [number, offsetInBytes, sizeInBytes]),
    ).toEqual([
      [1, 0, partBytesMin],
      [2, partBytesMin, partBytesMin],
      [3, 2 * partBytesMin, 1_000],
    ]);
    // Of a part that is sent twice, the last one counts.
    await send(partsOf(session)[1], Buffer.alloc(bytesOfThree));
    for (const part of partsOf(session).toReversed()) expect(await send(part, bytes)).toMatchObject({ status: 200 });
    const answer = await complete(session.id);
    expect((await fileOf(session)).result).toMatchObject({
      files: [{ sizeInBytes: bytes.length, sha256: session.files[0]?.sha256, sha512: null, sha1: null, md5: null }],
    });
    expect((await downloaded(session)).equals(bytes)).toBe(true);
    expect((await complete(session.id)).text).toBe(answer.text);
    expect(await brokenContent(service)).toEqual([]);
    return answer;
  });

  it('of Maven has all checksums, as clients ask for them', async () => {
    const repository = await service.world.repository(world.workspace, undefined, 'maven');
    const id = uniqueName('app');
    const pom = `<project><groupId>org.acme</groupId><artifactId>${id}</artifactId><version>1.0</version></project>`;
    const jar = randomBytes(bytesOfTwo);
    const contents = { [`${id}-1.0.jar`]: jar, [`${id}-1.0.pom`]: pom };
    const { id: upload } = await uploads.arrived(contents, { ...options, repository, isNamed: false });
    expect((await complete(upload, { repository })).status).toBe(201);
    for (const [file, content] of Object.entries(contents))
      for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
        const params = world.params({ repository: repository.id, path: `org/acme/${id}/1.0/${file}.${algorithm}` });
        const { text } = await service.client.attempt(getMavenFile, { params, as: world.admin.bearer });
        expect([file, text]).toEqual([file, createHash(algorithm).update(content).digest('hex')]);
      }
  });

  itAnswers('201 to all of several completions at once, of which one run verifies and one publishes', async () => {
    const session = await arrived(randomBytes(bytesOfTwo));
    service.store.forget();
    const answers = await Promise.all(Array.from({ length: 4 }, () => complete(session.id)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    // One run begins, copies two pieces and completes the blob.
    expect(writesOf('blobs/')).toEqual(['POST', 'PUT', 'PUT', 'GET', 'POST']);
    return answers;
  });

  itAnswers('409 UPLOAD_INCOMPLETE for missing parts, which it names and which can still be sent', async () => {
    const bytes = randomBytes(bytesOfThree);
    const session = await begin(bytes);
    await send(partsOf(session)[1], bytes);
    const answer = await complete(session.id);
    expect(answer.problem?.detail).toBe(
      "Of 'file.bin', these parts have not arrived: 1, 3. Send each with PUT to its uploadUrl first.",
    );
    const left = (await urlsOf(session.id)).result as Pick<TestUpload, 'files'>;
    expect(left.files.flatMap(({ parts }) => parts.map(({ number }) => number))).toEqual([1, 3]);
    for (const part of left.files.flatMap(({ parts }) => parts)) await send(part, bytes);
    expect((await urlsOf(session.id)).result).toMatchObject({ files: [] });
    expect((await complete(session.id)).status).toBe(201);
    return answer;
  });

  it('takes no other length at the URL of a part, and nothing once it is published', async () => {
    const bytes = randomBytes(bytesOfTwo);
    const session = await arrived(bytes);
    const last = partsOf(session).at(-1);
    const longer = await putPart(last as UploadPart, bytes.subarray(0, 1_001));
    expect([longer.status, /<Code>(\w+)</.exec(longer.text)?.[1]]).toEqual([403, 'SignatureDoesNotMatch']);
    expect((await complete(session.id)).status).toBe(201);
    const late = await send(last, bytes);
    expect([late.status, /<Code>(\w+)</.exec(late.text)?.[1]]).toEqual([404, 'NoSuchUpload']);
    expect((await downloaded(session)).equals(bytes)).toBe(true);
  });

  itAnswers(
    '400 PACKAGE_INVALID for other bytes, of which nothing is kept, and again when it is repeated',
    async () => {
      const session = await begin(randomBytes(bytesOfTwo));
      for (const part of partsOf(session)) await send(part, Buffer.alloc(bytesOfTwo));
      service.store.forget();
      const answer = await complete(session.id);
      expect(answer.problem?.detail).toMatch(
        /^'file\.bin' arrived with the SHA-256 [0-9a-f]{64} instead of the announced [0-9a-f]{64}: create a new session/,
      );
      expect(writesOf('blobs/')).toEqual(['POST', 'PUT', 'PUT', 'DELETE']);
      expect(writesOf('staging/').at(-1)).toBe('DELETE');
      expect((await fileOf(session)).status).toBe(404);
      expect(await brokenContent(service)).toEqual([]);
      return [answer, await complete(session.id)];
    },
  );

  itAnswers('400 PACKAGE_INVALID if what arrived is gone', async () => {
    const session = await arrived(randomBytes(bytesOfTwo));
    service.store.inject({ keyPrefix: 'blobs/', method: 'POST', fault: 'drop' });
    expect((await complete(session.id)).code).toBe('FILE_PENDING');
    service.store.heal();
    await putStaged(session, 'something else');
    const answer = await complete(session.id);
    expect(answer.problem?.detail).toBe("The parts of 'file.bin' are gone: create a new session and send them again.");
    return answer;
  });

  it('needs the bytes although the workspace has them, and then stores nothing', async () => {
    const bytes = randomBytes(bytesOfTwo);
    expect((await complete((await arrived(bytes)).id)).status).toBe(201);
    const forged = await begin(bytes);
    for (const part of partsOf(forged)) await send(part, Buffer.alloc(bytesOfTwo));
    const copied = await arrived(bytes);
    service.store.forget();
    expect((await complete(forged.id)).code).toBe('PACKAGE_INVALID');
    expect((await complete(copied.id)).status).toBe(201);
    expect(writesOf('blobs/')).toEqual([]);
    expect((await downloaded(copied)).equals(bytes)).toBe(true);
  });

  it('is published with files that are sent by one request each', async () => {
    const contents = {
      'file.bin': randomBytes(bytesOfTwo),
      'small.txt': 'small',
      'other.bin': randomBytes(bytesOfTwo),
    };
    const session = await uploads.arrived(contents, options);
    expect(session.files.map(({ parts }) => parts.length)).toEqual([2, 0, 2]);
    expect((await complete(session.id)).status).toBe(201);
    expect((await fileOf(session)).result).toMatchObject({ fileCount: 3 });
    expect((await downloaded(session)).equals(contents['file.bin'])).toBe(true);
  });
});
