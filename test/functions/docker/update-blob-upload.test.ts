import { randomBytes } from 'node:crypto';
import { digestOf, useImages } from '../../harness/images.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const images = useImages(service);

const append = async (location: string, body: string | Uint8Array, range?: string, as?: string) =>
  images.send('PATCH', location, { body, as, headers: range === undefined ? [] : [['Content-Range', range]] });

describe('PATCH /v2/{workspace}/{repository}/{image}/blobs/uploads/{upload}', () => {
  itAnswers('202 for bytes that follow, with and without a range, until the digest ends the upload', async () => {
    const first = await append(await images.begin('chunked'), 'abc');
    const second = await append(images.locationOf(first), 'defg', '3-6');
    const third = await append(images.locationOf(second), 'h', 'bytes 7-7/8');
    expect([first, second, third].map(({ headers }) => headers.range)).toEqual(['0-2', '0-6', '0-7']);
    const status = await images.get(images.locationOf(third));
    expect([status.status, status.headers.range, status.text]).toEqual([204, '0-7', '']);
    const stored = await images.complete(images.locationOf(third), 'abcdefgh');
    expect([stored.status, stored.headers['docker-content-digest']]).toEqual([201, digestOf('abcdefgh')]);
    expect((await images.get(images.locationOf(stored))).text).toBe('abcdefgh');
    expect((await images.get(images.locationOf(third))).status).toBe(404);
    return [first, second, third];
  });

  itAnswers(
    '416 UPLOAD_RANGE_INVALID for bytes that do not follow, and for an address that is not the last one',
    async () => {
      const begun = await images.begin('order');
      const early = await append(begun, 'def', '3-5');
      const wrongLength = await append(begun, 'abc', '0-9');
      const first = await append(begun, 'abc', '0-2');
      const repeated = await append(begun, 'abc', '0-2');
      const stale = await append(begun, 'def');
      // The old address still tells how far the upload has come, and where it goes on.
      const { headers } = await images.get(images.withDigest(begun, digestOf('abcdef')));
      expect([headers.range, headers.location]).toEqual(['0-2', images.locationOf(first)]);
      for (const { headers: refused } of [wrongLength, repeated, stale])
        expect(refused['docker-upload-uuid']).toBe(headers['docker-upload-uuid']);
      expect([early, wrongLength].map((refused) => [refused.headers.range, refused.headers.location])).toEqual([
        ['0-0', begun],
        ['0-0', begun],
      ]);
      for (const { headers: refused } of [repeated, stale])
        expect([refused.range, refused.location]).toEqual(['0-2', images.locationOf(first)]);
      expect((await images.complete(String(headers.location), 'abcdef', 'def')).status).toBe(201);
      return [early, wrongLength, repeated, stale];
    },
  );

  itAnswers('404 UPLOAD_NOT_FOUND for an address that was made for another upload, image or caller', async () => {
    const [one, other] = [await images.begin('mine'), await images.begin('mine')];
    const [, path = '', state = ''] = /^([^?]+)\?state=(.+)$/.exec(one) ?? [];
    const [, otherPath = ''] = /^([^?]+)\?/.exec(other) ?? [];
    const someone = await service.world.systemAdmin();
    const colleague = await service.world.member(images.setting.workspace, 'admin');
    expect(someone.bearer).toBe(images.setting.admin.bearer);
    return [
      await append(path, 'x'),
      await append(`${path}?state=1.${state.split('.')[1] ?? ''}`, 'x'),
      await append(`${otherPath}?state=${state}`, 'x'),
      await append(one.replace('/mine/', '/other/'), 'x'),
      await append(one, 'x', undefined, colleague.bearer),
      await images.send('PUT', images.withDigest(`${otherPath}?state=${state}`, digestOf('')), {}),
    ];
  });

  it('takes one of two requests at once', async () => {
    const begun = await images.begin('race');
    const answers = await Promise.all(['one', 'two', 'six'].map((bytes) => append(begun, bytes)));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['202', '416', '416']);
    const winner = ['one', 'two', 'six'][answers.findIndex(({ status }) => status === 202)] ?? '';
    const { headers } = await images.get(images.withDigest(begun, digestOf('abcdef')));
    expect((await images.complete(String(headers.location), winner)).status).toBe(201);
  });

  it.each([
    ['small ones that are merged', Array.from({ length: 20 }, () => 600_000)],
    ['large ones', [4_500_000, 4_400_000, 1]],
    ['small and large ones', [1, 4_500_000, 4_500_000, 4_500_000, 10, 4_500_000]],
  ])('makes one blob of many pieces: %s', async (_, sizes) => {
    const pieces = sizes.map((size) => randomBytes(size));
    const bytes = Buffer.concat(pieces);
    let location = await images.begin('large');
    for (const piece of pieces) location = images.locationOf(await append(location, piece));
    expect((await images.complete(location, bytes)).status).toBe(201);
    const { headers } = await images.get(`large/blobs/${digestOf(bytes)}`);
    const answer = await fetch(String(headers.location));
    expect(digestOf(Buffer.from(await answer.arrayBuffer()))).toBe(digestOf(bytes));
  });

  it('ends also with the bytes of a blob that the image has', async () => {
    const bytes = uniqueName('bytes');
    await images.pushBlob('twice', bytes);
    const location = images.locationOf(await append(await images.begin('twice'), bytes));
    expect((await images.complete(location, bytes)).status).toBe(201);
    expect((await images.get(location)).code).toBe('UPLOAD_NOT_FOUND');
  });

  it('keeps the upload when the digest or the range is wrong, and forgets it when it is ended', async () => {
    const bytes = uniqueName('bytes');
    const location = images.locationOf(await append(await images.begin('kept'), bytes));
    expect((await images.complete(location, 'other')).code).toBe('PACKAGE_INVALID');
    const headers = [['Content-Range', '0-0']] as const;
    expect((await images.complete(location, `${bytes}x`, 'x', { headers })).code).toBe('UPLOAD_RANGE_INVALID');
    expect((await images.send('PUT', location)).code).toBe('PACKAGE_INVALID');
    expect((await images.get(location)).status).toBe(204);
    expect((await images.remove(location)).status).toBe(204);
    expect((await images.get(location)).code).toBe('UPLOAD_NOT_FOUND');
    expect((await images.complete(location, bytes)).code).toBe('UPLOAD_NOT_FOUND');
    expect((await images.get(`kept/blobs/${digestOf(bytes)}`)).status).toBe(404);
  });
});
