import { randomBytes } from 'node:crypto';
import { digestOf, useImages } from '../harness/images.ts';
import { useService } from '../harness/service.ts';

jest.setTimeout(60_000);

/** Layers that are too large for a request of the API. */
const service = useService({ hasDoor: true });
const images = useImages(service);

const stored = async (image: string, digest: string): Promise<string> => {
  const { headers } = await images.get(`${image}/blobs/${digest}`);
  const answer = await fetch(String(headers.location));
  return digestOf(Buffer.from(await answer.arrayBuffer()));
};

describe('Through the door', () => {
  it('a layer comes in one request, in one part, and in several', async () => {
    const pieces = [randomBytes(9_000_000), randomBytes(100), randomBytes(6_000_000)];
    const bytes = Buffer.concat(pieces);
    const [large = bytes] = pieces;
    const whole = await images.send('POST', `whole/blobs/uploads/?digest=${digestOf(large)}`, { body: large });
    expect(whole.status).toBe(201);
    expect((await images.pushBlob('put', large)).status).toBe(201);
    let location = await images.begin('parts');
    for (const body of pieces) location = images.locationOf(await images.send('PATCH', location, { body }));
    expect((await images.complete(location, bytes)).status).toBe(201);
    // As small as a part of S3 may be, and one byte more or less.
    const limits = [5_242_880, 5_242_880, 5_242_881, 5_242_879, 1].map((size) => randomBytes(size));
    let next = await images.begin('limits');
    for (const body of limits) next = images.locationOf(await images.send('PATCH', next, { body }));
    expect((await images.complete(next, Buffer.concat(limits))).status).toBe(201);
    const last = images.locationOf(await images.send('PATCH', await images.begin('last'), { body: large }));
    expect((await images.complete(last, bytes, bytes.subarray(large.length))).status).toBe(201);
    expect(await Promise.all(['whole', 'put'].map((image) => stored(image, digestOf(large))))).toEqual([
      digestOf(large),
      digestOf(large),
    ]);
    expect(await Promise.all(['parts', 'last'].map((image) => stored(image, digestOf(bytes))))).toEqual([
      digestOf(bytes),
      digestOf(bytes),
    ]);
  });

  it('a digest vouches for no other bytes, and a manifest has its limit', async () => {
    const bytes = randomBytes(5_000_000);
    expect((await images.complete(await images.begin('wrong'), 'other', bytes)).code).toBe('PACKAGE_INVALID');
    const manifest = JSON.stringify({ schemaVersion: 2, annotations: { x: 'x'.repeat(5_000_000) } });
    expect((await images.pushManifest('wrong', '1', manifest)).code).toBe('BODY_TOO_LARGE');
  });
});
