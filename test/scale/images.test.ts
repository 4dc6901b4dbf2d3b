import { createBlobUpload, getImageContent, publishImageContent } from '../../functions/docker/contracts.ts';
import { getPackage } from '../../functions/packages/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { digestOf, manifestOf, newImage, useImages } from '../harness/images.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { callsMade } from './calls-made.ts';
import { storeLargeImage } from './large-package.ts';

jest.setTimeout(120_000);

const service = useService();
const images = useImages(service);

const counts = process.env.ALL_FORMATS ? [1, 1_000, 10_000] : [1, 2_000];

describe.each(counts)('An image beside %i manifests with tags', (count) => {
  let name: string;
  const tag = (build: number): string => `build-${String(build).padStart(6, '0')}`;
  const push = async (bytes: string): Promise<Answer> =>
    images.send('POST', `${name}/blobs/uploads/?digest=${digestOf(bytes)}`, { body: bytes });
  const newManifest = async (): Promise<string> => {
    const image = newImage();
    for (const bytes of [image.config, ...image.layers]) await push(String(bytes));
    return manifestOf(image);
  };

  beforeAll(async () => {
    name = uniqueName('large');
    const { workspace, repository } = images.setting;
    await storeLargeImage({ workspace, repository, name }, count);
    // The first ones find the addresses, start the functions, and tell the sweeper of the image.
    await images.pushManifest(name, 'first', await newManifest());
    await images.get(`${name}/manifests/first`);
  });

  it('is pushed by the same calls', async () => {
    const bytes = uniqueName('bytes');
    expect(await callsMade(service, createBlobUpload, async () => push(bytes), 201)).toEqual({
      table: ['BatchGetItem', 'BatchGetItem', 'BatchGetItem', 'TransactWriteItems', 'TransactWriteItems'],
      store: ['PUT'],
    });
    const manifest = await newManifest();
    const publish = async () => images.pushManifest(name, 'next', manifest);
    expect(await callsMade(service, publishImageContent, publish, 201)).toEqual({
      table: ['BatchGetItem', 'BatchGetItem', 'BatchGetItem', 'TransactWriteItems', 'TransactWriteItems'],
      store: ['PUT'],
    });
  });

  it('is pulled, and its tags are listed, by the same calls', async () => {
    const pull = async () => images.get(`${name}/manifests/first`);
    expect(await callsMade(service, getImageContent, pull, 200)).toEqual({
      table: ['BatchGetItem', 'BatchGetItem'],
      store: [],
    });
    const list = async () => images.get(`${name}/tags/list?n=10&last=${tag(count - 2)}`);
    expect(await callsMade(service, getImageContent, list, 200)).toEqual({
      table: ['BatchGetItem', 'BatchGetItem', 'Query', 'BatchGetItem'],
      store: [],
    });
    expect((await list()).text).toContain(`"tags":["${tag(count - 1)}","first","next"]`);
  });

  it('has a record with its first tags', async () => {
    const { workspace, repository, admin } = images.setting;
    const params = { workspace: workspace.id, repository: repository.id, package: name };
    const { tags, versionCount } = await service.client.succeed(getPackage, { params, as: admin.bearer });
    expect([versionCount, tags.length]).toEqual([count + 2, Math.min(count + 2, 1_000)]);
    expect(tags[0]).toEqual({ tag: tag(0), version: digestOf(`${name} 0`) });
  });
});
