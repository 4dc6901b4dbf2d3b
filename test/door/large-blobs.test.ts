import { randomBytes } from 'node:crypto';
import { digestOf, useImages } from '../harness/images.ts';
import { storedObjects } from '../harness/object-store.ts';
import { useService } from '../harness/service.ts';

jest.setTimeout(60_000);

/** Blobs of images that are too large for a request to the API, through the door. */
const service = useService({ hasDoor: true });
const images = useImages(service);

/** More than a request to the API takes, and more than a part of an upload to S3. */
const blobOf = (bytes: number): Buffer => randomBytes(bytes);

const staged = async (): Promise<Set<string>> => storedObjects(service, 'staging/');
const blobs = async (): Promise<Set<string>> => storedObjects(service);

/** The bytes of a blob, behind the redirect. */
const pulled = async (image: string, digest: string): Promise<Buffer> => {
  const { headers, status } = await images.get(`${image}/blobs/${digest}`);
  expect(status).toBe(302);
  return Buffer.from(await (await fetch(String(headers.location))).arrayBuffer());
};

describe('A large blob', () => {
  it('is written once, where it belongs, if it comes in one request', async () => {
    const bytes = blobOf(9_000_000);
    service.store.forget();
    expect((await images.pushBlob('single', bytes)).status).toBe(201);
    const written = service.store.calls.filter(({ method }) => method === 'PUT' || method === 'POST');
    expect(written.map(({ method, key }) => `${method} ${key.split('.')[0]}`)).toEqual([
      expect.stringMatching(new RegExp(`^PUT blobs/.*/${digestOf(bytes).slice('sha256:'.length)}$`)),
    ]);
    expect((await pulled('single', digestOf(bytes))).equals(bytes)).toBe(true);
  });

  it('is refused if its bytes have another digest, and nothing is stored', async () => {
    const before = await blobs();
    const wrong = digestOf('other bytes');
    const location = images.withDigest(await images.begin('wrong'), wrong);
    const { status, text } = await images.send('PUT', location, { body: blobOf(6_000_000) });
    expect([status, text.includes('DIGEST_INVALID')]).toEqual([400, true]);
    expect(await blobs()).toEqual(before);
    expect(await staged()).toEqual(new Set());
    expect((await images.get(`wrong/blobs/${wrong}`)).status).toBe(404);
  });

  it('is given to nobody who knows its digest and its length alone', async () => {
    const secret = blobOf(6_000_000);
    expect((await images.pushBlob('holder', secret)).status).toBe(201);
    const location = images.withDigest(await images.begin('thief'), digestOf(secret));
    const { status } = await images.send('PUT', location, { body: blobOf(secret.length) });
    expect(status).toBe(400);
    expect((await images.get(`thief/blobs/${digestOf(secret)}`)).status).toBe(404);
    expect((await images.pushBlob('owner', secret)).status).toBe(201);
    expect((await pulled('holder', digestOf(secret))).equals(secret)).toBe(true);
    expect((await pulled('owner', digestOf(secret))).equals(secret)).toBe(true);
  });

  it('is made of what several requests brought, large and small', async () => {
    const parts = [blobOf(6_000_000), blobOf(1_000), blobOf(9_000_000), blobOf(100_000)];
    let location = await images.begin('parts');
    for (const body of parts.slice(0, -1))
      location = images.locationOf(await images.send('PATCH', location, { body: new Uint8Array(body) }));
    const whole = Buffer.concat(parts);
    expect((await images.complete(location, whole, parts.at(-1))).status).toBe(201);
    expect((await pulled('parts', digestOf(whole))).equals(whole)).toBe(true);
  });

  it('is refused at once at the address of an earlier answer', async () => {
    const begun = await images.begin('late');
    expect((await images.send('PATCH', begun, { body: blobOf(5_000_000) })).status).toBe(202);
    const kept = await staged();
    expect((await images.send('PATCH', begun, { body: blobOf(5_000_000) })).status).toBe(416);
    expect((await images.send('PUT', images.withDigest(begun, digestOf('')), { body: blobOf(5_000_000) })).status).toBe(
      416,
    );
    expect(await staged()).toEqual(kept);
  });
});
