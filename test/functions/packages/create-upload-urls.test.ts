import { partBytesMin } from '../../../functions/packages/upload-limits.ts';
import { Table } from '../../../shared/table/client.ts';
import { uploadKey } from '../../../shared/table/keys.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { useService } from '../../harness/service.ts';
import { putPart, putUpload, type UploadFile, useUploads } from '../../harness/uploads.ts';

const service = useService();
const world = usePackageWorld(service);
const { begin, arrived, complete, urlsOf } = useUploads(service, world);

const options = { partSizeInBytes: partBytesMin };
const inParts = Buffer.alloc(partBytesMin + 1);

const filesOf = ({ result }: Answer): UploadFile[] => (result as { files: UploadFile[] }).files;
const nameOf = ({ name }: UploadFile): string => name;
const numbersOf = ({ parts }: UploadFile): number[] => parts.map(({ number }) => number);

describe('POST /1/workspaces/{workspace}/repositories/{repository}/packages/uploads/{upload}/urls', () => {
  itAnswers('200 with all that the session waits for, and with URLs that work', async () => {
    const session = await begin({ 'one.txt': 'one', 'two.txt': 'two', 'file.bin': inParts }, options);
    const [one, , file] = session.files as [UploadFile, UploadFile, UploadFile];
    await putUpload(one, 'one');
    const [first] = file.parts;
    if (first) await putPart(first, inParts.subarray(0, partBytesMin));
    const answer = await urlsOf(session.id);
    expect(answer.result).toMatchObject({ id: session.id, expiresAt: expect.any(String) });
    expect(filesOf(answer).map((each) => [nameOf(each), numbersOf(each)])).toEqual([
      ['two.txt', []],
      ['file.bin', [2]],
    ]);
    const [two, rest] = filesOf(answer) as [UploadFile, UploadFile];
    expect(await putUpload(two, 'two')).toMatchObject({ status: 200 });
    for (const part of rest.parts) expect(await putPart(part, Buffer.alloc(1))).toMatchObject({ status: 200 });
    expect(filesOf(await urlsOf(session.id))).toEqual([]);
    expect((await complete(session.id)).status).toBe(201);
    return answer;
  });

  itAnswers('200 with nothing once the session is published', async () => {
    const { id } = await arrived({ 'file.txt': 'the file' });
    expect((await complete(id)).status).toBe(201);
    const answer = await urlsOf(id);
    expect(filesOf(answer)).toEqual([]);
    return answer;
  });

  itAnswers('404 UPLOAD_NOT_FOUND for a session of another user, an expired one, and what is none', async () => {
    const { id } = await begin({ 'file.txt': 'the file' });
    const other = await service.world.user({ userRole: 'system-admin' });
    const answers = [await urlsOf(id, { as: other.bearer }), await urlsOf('none')];
    const past = { ':past': Date.now() / 1000 - 1 };
    await new Table().writeUnrecorded([{ update: uploadKey(id), set: 'SET #expiresAt = :past', values: past }]);
    return [...answers, await urlsOf(id)];
  });
});
