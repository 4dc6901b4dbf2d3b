import { setTimeout as pause } from 'node:timers/promises';
import { createBlobUpload, publishImageContent } from '../../functions/docker/contracts.ts';
import { deleteContent, deletePackage } from '../../functions/packages/contracts.ts';
import { deleteRepository } from '../../functions/repositories/contracts.ts';
import { inBatches } from '../harness/concurrency.ts';
import { passADay, passADayOfImages } from '../harness/due-blobs.ts';
import {
  descriptorOf,
  digestOf,
  elsewhere,
  indexMediaType,
  manifestOf,
  newImage,
  useImages,
} from '../harness/images.ts';
import { useService } from '../harness/service.ts';
import { brokenContent, remains } from '../harness/stored-packages.ts';
import { uniqueName } from '../harness/world.ts';

jest.setTimeout(90_000);

const service = useService({ isOwn: true });
const images = useImages(service);

const sweep = (): Promise<boolean> => service.runner.runScheduled('sweeper');

const has = async (image: string, bytes: string | Uint8Array): Promise<boolean> =>
  (await images.get(`${image}/blobs/${digestOf(bytes)}`)).status === 200;

describe('Blobs that no manifest names', () => {
  it('are swept a day after they were used last, and those that a manifest names are not', async () => {
    const { image } = await images.push('app', '1');
    const { digest, image: deleted } = await images.push('app', '2');
    const unneeded = uniqueName('unneeded');
    await images.pushBlob('app', unneeded);
    await images.remove(`app/manifests/${digest}`);
    expect(await sweep()).toBe(true);
    for (const bytes of [image.config, deleted.config, unneeded]) expect(await has('app', bytes)).toBe(true);
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    for (const bytes of [image.config, ...image.layers]) expect(await has('app', bytes)).toBe(true);
    for (const bytes of [deleted.config, ...deleted.layers, unneeded]) expect(await has('app', bytes)).toBe(false);
    expect(await brokenContent(service)).toEqual([]);
    expect((await images.get('app/manifests/1')).status).toBe(200);
  });

  it('are not those of an index that lists blobs, as old caches of BuildKit do', async () => {
    const bytes = uniqueName('cached');
    await images.pushBlob('cache', bytes);
    const manifests = [descriptorOf(bytes, 'application/vnd.buildkit.cacheconfig.v0')];
    const index = JSON.stringify({ schemaVersion: 2, mediaType: indexMediaType, manifests });
    expect((await images.pushManifest('cache', '1', index, { type: indexMediaType })).status).toBe(201);
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    expect(await has('cache', bytes)).toBe(true);
  });

  it('are not those that are also at another place', async () => {
    const image = newImage(2);
    for (const bytes of image.layers) await images.pushBlob('foreign', bytes);
    await passADayOfImages();
    await images.push('foreign', '1', { ...image, layers: [] }, {}, { layers: image.layers.map(elsewhere) });
    expect(await sweep()).toBe(true);
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    for (const bytes of image.layers) expect(await has('foreign', bytes)).toBe(true);
    expect(await brokenContent(service)).toEqual([]);
  });

  it('stay for a push that has begun: it marks those that its manifest names', async () => {
    const image = newImage(3);
    const blobs = [image.config, ...image.layers];
    for (const bytes of blobs) await images.pushBlob('slow', bytes);
    await passADayOfImages();
    // Two of them are pushed again, or published by a manifest, before the sweeper comes.
    await images.pushBlob('slow', image.config);
    await images.pushManifest('slow', '1', manifestOf(image));
    await images.pushBlob('late', 'late');
    await passADayOfImages();
    await images.pushBlob('late', 'late');
    expect(await sweep()).toBe(true);
    for (const bytes of blobs) expect(await has('slow', bytes)).toBe(true);
    expect(await has('late', 'late')).toBe(true);
    expect(await brokenContent(service)).toEqual([]);
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    expect(await has('late', 'late')).toBe(false);
    expect(await brokenContent(service)).toEqual([]);
  });

  it('stay for a manifest that is on its way when the sweeper comes', async () => {
    const image = newImage();
    for (const bytes of [image.config, ...image.layers]) await images.pushBlob('way', bytes);
    await passADayOfImages();
    // Two of them are marked, the manifest is announced, and then it is published.
    const transactions = { functionId: publishImageContent.id, operation: 'TransactWriteItems' } as const;
    service.proxy.forget();
    service.proxy.inject({ ...transactions, fault: 'conflict', after: 3 });
    const sent = (): number => service.proxy.callsOf(publishImageContent.id).filter(({ isWrite }) => isWrite).length;
    const pushing = images.pushManifest('way', '1', manifestOf(image));
    const over = pushing.then(() => 'over');
    while (sent() < 4 && (await Promise.race([over, pause(5, 'waiting')])) === 'waiting');
    expect(sent()).toBeGreaterThanOrEqual(4);
    expect(await sweep()).toBe(true);
    service.proxy.heal();
    expect((await pushing).status).toBe(201);
    for (const bytes of [image.config, ...image.layers]) expect(await has('way', bytes)).toBe(true);
    expect(await brokenContent(service)).toEqual([]);
  });

  it('stay if they are pushed again when the sweeper has chosen them', async () => {
    await images.pushBlob('chosen', 'chosen');
    await passADayOfImages();
    service.proxy.forget();
    service.proxy.inject({ functionId: 'sweeper', operation: 'TransactWriteItems', fault: 'conflict' });
    const sweeping = sweep();
    while (service.proxy.callsOf('sweeper').every(({ isWrite }) => !isWrite)) await pause(5);
    await images.pushBlob('chosen', 'chosen');
    service.proxy.heal();
    expect(await sweeping).toBe(true);
    expect(await has('chosen', 'chosen')).toBe(true);
    expect(await brokenContent(service)).toEqual([]);
  });

  it('are found a day later, also if the image was swept in this hour', async () => {
    await images.pushBlob('hourly', 'first');
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    await images.pushBlob('hourly', 'second');
    expect(await brokenContent(service)).toEqual([]);
  });

  it('are refused to a manifest once they are swept', async () => {
    const image = newImage();
    for (const bytes of [image.config, ...image.layers]) await images.pushBlob('gone', bytes);
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    expect((await images.pushManifest('gone', '1', manifestOf(image))).code).toBe('PACKAGE_INVALID');
  });

  it('are swept by as many reads, however many they are', async () => {
    const readsFor = async (name: string, blobs: readonly string[]): Promise<number> => {
      await inBatches(blobs, 8, async (bytes) => images.pushBlob(name, bytes));
      await passADayOfImages();
      service.proxy.forget();
      expect(await sweep()).toBe(true);
      return service.proxy.callsOf('sweeper').filter(({ isWrite }) => !isWrite).length;
    };
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    const blobs = Array.from({ length: 60 }, () => uniqueName('blob'));
    expect(await readsFor('many', blobs)).toBe(await readsFor('one', [uniqueName('blob')]));
    expect(await Promise.all(blobs.map((bytes) => has('many', bytes)))).toEqual(blobs.map(() => false));
    expect(await brokenContent(service)).toEqual([]);
  });
});

it('A blob that arrives after the sweep of a deleted repository is refused, and leaves nothing', async () => {
  const { workspace, admin } = images.setting;
  const repository = await service.world.repository(workspace, undefined, 'docker');
  const params = { workspace: workspace.id, repository: repository.id };
  const push = async (bytes: string) =>
    images.send('POST', `ended/blobs/uploads/?digest=${digestOf(bytes)}`, { body: bytes, repository });
  await push('first');
  service.proxy.forget();
  // The bytes are announced by a transaction before the one that makes them a blob of the image.
  const transactions = { functionId: createBlobUpload.id, operation: 'TransactWriteItems' } as const;
  service.proxy.inject({ ...transactions, fault: 'conflict', after: 1 });
  const pushing = push(uniqueName('late'));
  while (service.proxy.callsOf(createBlobUpload.id).filter(({ isWrite }) => isWrite).length < 2) await pause(5);
  await service.client.succeed(deleteRepository, { params, as: admin.bearer });
  expect(await sweep()).toBe(true);
  service.proxy.heal();
  expect((await pushing).code).toBe('REPOSITORY_NOT_FOUND');
  expect(
    (await remains(service)).filter((key) => /^(?:PACKAGE|USAGE)/.test(key) && key.includes(repository.id)),
  ).toEqual([]);
  expect(await brokenContent(service)).toEqual([]);
});

it('Nothing is left of images when a package, a content and a repository are deleted', async () => {
  const { workspace, repository, admin } = images.setting;
  const place = { workspace: workspace.id, repository: repository.id };
  await images.push('package', '1');
  const params = { ...place, package: 'package' };
  await service.client.succeed(deletePackage, { params, as: admin.bearer });
  expect(await brokenContent(service)).toEqual([]);
  await service.client.succeed(deleteContent, { params: place, as: admin.bearer });
  await images.push('after', '1');
  await images.pushBlob('blobs-only', 'blob');
  expect(await brokenContent(service)).toEqual([]);
  await service.client.succeed(deleteRepository, { params: place, as: admin.bearer });
  expect(await sweep()).toBe(true);
  await passADayOfImages();
  await passADay();
  expect(await sweep()).toBe(true);
  expect(await remains(service)).toEqual([]);
});
