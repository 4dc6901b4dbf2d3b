import { deleteContent, deletePackage } from '../functions/packages/contracts.ts';
import { deleteRepository } from '../functions/repositories/contracts.ts';
import { inBatches } from './harness/batches.ts';
import { passADay, passADayOfImages } from './harness/due-blobs.ts';
import { digestOf, manifestOf, newImage, useImages } from './harness/images.ts';
import { useService } from './harness/service.ts';
import { brokenContent, remains } from './harness/stored-packages.ts';
import { uniqueName } from './harness/world.ts';

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

  it('are refused to a manifest once they are swept', async () => {
    const image = newImage();
    for (const bytes of [image.config, ...image.layers]) await images.pushBlob('gone', bytes);
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    expect((await images.pushManifest('gone', '1', manifestOf(image))).code).toBe('PACKAGE_INVALID');
  });

  it('are more than one step of the sweeper takes', async () => {
    const blobs = Array.from({ length: 60 }, () => uniqueName('blob'));
    await inBatches(blobs, 8, async (bytes) => images.pushBlob('many', bytes));
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    expect(await Promise.all(blobs.map((bytes) => has('many', bytes)))).toEqual(blobs.map(() => false));
    expect(await brokenContent(service)).toEqual([]);
  });
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
