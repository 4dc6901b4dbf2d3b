import { randomBytes } from 'node:crypto';
import { checkVersion, createUpload, createUploadUrls, publishUpload } from '../../../functions/packages/contracts.ts';
import { partBytesMin } from '../../../functions/packages/upload-limits.ts';
import { passADay } from '../../harness/due-blobs.ts';
import { packumentOf } from '../../harness/npm.ts';
import { createRemote } from '../../harness/repositories.ts';
import { announced, putParts, putUpload } from '../../harness/uploads.ts';
import { trickling } from '../../harness/upstream.ts';
import { newPassword } from '../../harness/world.ts';
import { longText, placeIn, type Setting, slowMilliseconds, untilAnswered } from './scenario.ts';

/** An upload whose bytes are stored, but not published: the next try gives up its own copy of them. */
export const publishLargeUpload = async ({ service, fixture }: Setting): Promise<void> => {
  const { client, universal, systemAdmin } = fixture;
  const as = systemAdmin.bearer;
  const bytes = randomBytes(9 * 1024 * 1024);
  const params = placeIn(fixture, universal);
  const body = { packageName: 'large', packageVersion: '1.0.0', files: [announced('file', bytes)] };
  const { id: upload, files } = await client.succeed(createUpload, { params, body, as });
  for (const file of files) await putUpload(file, bytes);
  const { id: functionId } = publishUpload;
  service.proxy.inject({ functionId, fault: 'server-error', operation: 'TransactWriteItems', after: 1, times: 6 });
  const complete = async () => (await client.attempt(publishUpload, { params: { ...params, upload }, as })).status;
  expect([await complete(), await complete()]).toEqual([503, 201]);
};

/** Files in parts: one that is not what was announced is given up; one whose verified bytes were swept is verified again. */
export const publishParts = async ({ service, fixture }: Setting): Promise<void> => {
  const { client, universal, systemAdmin } = fixture;
  const as = systemAdmin.bearer;
  const content = randomBytes(partBytesMin + 1);
  const params = placeIn(fixture, universal);
  const arrived = async (packageName: string, file: ReturnType<typeof announced>): Promise<string> => {
    const body = { packageName, packageVersion: '1.0.0', partSizeInBytes: partBytesMin, files: [file] };
    const { id: upload } = await client.succeed(createUpload, { params, body, as });
    const { files } = await client.succeed(createUploadUrls, { params: { ...params, upload }, as });
    for (const each of files) await putParts(each, content);
    return upload;
  };
  const complete = async (upload: string) =>
    (await client.attempt(publishUpload, { params: { ...params, upload }, as })).status;
  expect(await complete(await arrived('wrong', announced('file', randomBytes(partBytesMin + 1))))).toBe(400);
  const swept = await arrived('swept', announced('file', content));
  const { id: functionId } = publishUpload;
  service.proxy.inject({ functionId, fault: 'server-error', operation: 'TransactWriteItems', times: 6 });
  expect(await complete(swept)).toBe(503);
  await passADay();
  expect(await service.runner.runScheduled('sweeper')).toBe(true);
  expect(await complete(swept)).toBe(201);
};

/** A check of a version, whose packument says late when it was published: by the worker, then from what it staged, then from the copy. */
export const checkSlowVersion = async ({ service, fixture, upstream }: Setting): Promise<void> => {
  const packument = JSON.stringify(
    packumentOf(upstream.url, 'slow', { '1.0.0': { manifest: { dependencies: { other: longText } } } }),
  );
  upstream.answer = trickling(slowMilliseconds, (response) => void response.end(packument), ' ');
  const remote = await createRemote(service, fixture.workspace, {
    remoteRepositoryUrl: upstream.url,
    remoteRepositoryPassword: newPassword(),
    releaseGate: { minimumAgeHours: 1 },
  });
  const body = { packageName: 'slow', version: '1.0.0' };
  const request = { params: placeIn(fixture, remote), body, as: fixture.systemAdmin.bearer };
  const check = async () => service.client.attempt(checkVersion, request);
  await untilAnswered(check);
  expect((await check()).status).toBe(200);
};
