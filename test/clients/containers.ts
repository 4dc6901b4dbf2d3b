import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { passADayOfImages } from '../harness/due-blobs.ts';
import { useService } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { useSandboxes } from './client-world.ts';
import { containerClients } from './drivers/containers/all.ts';
import type { ImageAddress } from './drivers/containers/client.ts';
import type { Ran } from './drivers/driver.ts';
import type { Sandbox } from './drivers/sandbox.ts';
import { ImageLayout, type Layers, writeImage, writeIndex } from './image-layouts.ts';
import { useImageWorld } from './image-world.ts';
import { useWatchedAddress } from './watched-address.ts';

/** `npm run test:containers`: the same cases for every client of container registries. CONTRIBUTING says what they need. */
jest.setTimeout(900_000);

const isAtEdge = process.env.TEST_FRONT === 'edge';

/** The size of the large layer. No door stands behind the emulated edge, so there it must fit into a request. */
const layerBytes = Number(process.env.LAYER_BYTES ?? (isAtEdge ? 4_000_000 : 1_000_000_000));

const service = useService(isAtEdge ? { hasEdge: true } : { hasDoor: true });
const address = useWatchedAddress(service);
const { team, upstream, local, remoteOver, virtualOver } = useImageWorld(service);
const sandbox = useSandboxes();

const imageIn = (repository: Named, image = uniqueName('image'), token = team.deployer.token): ImageAddress => ({
  host: address.host,
  path: `${team.workspace.name}/${repository.name}/${image}`,
  token,
});

/** Three layers: two small ones, and one that is served by a redirect. */
const someLayers = (text: string = uniqueName()): Layers => [
  { 'etc/hello': text },
  { 'usr/share/large': randomBytes(300_000).toString('base64') },
  { hello: `#!/bin/sh\necho ${text}\n` },
];

const madeIn = async (
  place: Sandbox,
  layers = someLayers(),
  folder = 'image',
  architecture?: string,
): Promise<ImageLayout> => writeImage(join(place.project, folder), layers, { architecture });

const expectSuccess = ({ isFailed, output }: Ran): void => {
  if (isFailed) throw new Error(`The client failed:\n${output}`);
};

const expectRefusal = ({ isFailed, output }: Ran, words: RegExp): void => {
  expect({ isFailed, output }).toEqual({ isFailed: true, output: expect.stringMatching(words) as string });
};

/** The bytes of bodies that went to uploads of blobs. */
const sentBytes = (): number =>
  address.requests.filter(({ url }) => url.includes('/blobs/uploads')).reduce((sum, { bytes }) => sum + bytes, 0);

describe.each(containerClients.map((client) => [client.name, client] as const))('%s', (_, client) => {
  beforeAll(async () => {
    const version = await client.prepare();
    process.stderr.write(`${client.name} ${version}\n`);
  }, 1_200_000);

  const push = async (place: Sandbox, image: ImageAddress, tag = '1', folder = 'image'): Promise<Ran> =>
    client.push(place, folder, image, tag);

  /** Pulls into an empty place. */
  const pulled = async (image: ImageAddress, reference = ':1', architecture?: string): Promise<ImageLayout> => {
    const place = sandbox();
    expectSuccess(await client.pull(place, image, reference, 'pulled', architecture));
    return new ImageLayout(join(place.project, 'pulled'));
  };

  const expectSame = async (found: ImageLayout, pushed: ImageLayout): Promise<void> => {
    if (!client.packsAgain) expect(found.digests()).toEqual(pushed.digests());
    expect(await found.files()).toEqual(await pushed.files());
  };

  /** An image that was pushed. */
  const published = async (repository: Named, layers = someLayers()) => {
    const place = sandbox();
    const [layout, image] = [await madeIn(place, layers), imageIn(repository)];
    expectSuccess(await push(place, image));
    return { place, layout, image };
  };

  it('pushes an image of several layers, and pulls it by its tag', async () => {
    const { layout, image } = await published(await local());
    await expectSame(await pulled(image), layout);
  });

  const { packsAgain = false, combine, remove } = client;

  if (!packsAgain)
    it('pulls an image by its digest', async () => {
      const { layout, image } = await published(await local());
      await expectSame(await pulled(image, `@${layout.top.digest}`), layout);
    });

  it('pushes an index of two platforms, and pulls both', async () => {
    const place = sandbox();
    const image = imageIn(await local());
    if (!combine) {
      const layout = await writeIndex(join(place.project, 'image'), [someLayers(), someLayers()]);
      expectSuccess(await push(place, image));
      expect((await pulled(image)).digests()).toEqual(layout.digests());
      return;
    }
    const layouts: Record<string, ImageLayout> = {};
    for (const architecture of ['amd64', 'arm64']) {
      layouts[architecture] = await madeIn(place, someLayers(), architecture, architecture);
      expectSuccess(await push(place, image, architecture, architecture));
    }
    expectSuccess(await combine(place, image, Object.keys(layouts), '1'));
    for (const [architecture, layout] of Object.entries(layouts))
      await expectSame(await pulled(image, ':1', architecture), layout);
  });

  it('sends no layer again that the repository has', async () => {
    const layers = someLayers();
    const { place, image } = await published(await local(), layers);
    address.reset();
    const next = await madeIn(place, [...layers, { added: 'later' }], 'next');
    expectSuccess(await push(place, image, '2', 'next'));
    expect(sentBytes()).toBeLessThan(10_000);
    await expectSame(await pulled(image, ':2'), next);
  });

  it('moves a tag to another image, and keeps the one before', async () => {
    const { place, layout: before, image } = await published(await local());
    const after = await madeIn(place, someLayers(), 'after');
    expectSuccess(await push(place, image, '1', 'after'));
    await expectSame(await pulled(image), after);
    if (!packsAgain) await expectSame(await pulled(image, `@${before.top.digest}`), before);
  });

  it('pushes again what was cut in the middle', async () => {
    const place = sandbox();
    const image = imageIn(await local());
    const layout = await madeIn(place);
    address.cutAfter = 150_000;
    const first = await push(place, image);
    expect(address.cutAfter).toBeUndefined();
    if (first.isFailed) expectSuccess(await push(place, image));
    await expectSame(await pulled(image), layout);
  });

  it('lets one of two pushes of a tag at once have it', async () => {
    const image = imageIn(await local());
    const places = [sandbox(), sandbox()];
    const layouts = await Promise.all(places.map(async (place) => madeIn(place)));
    // Two names of one host: the daemon of docker has one image under a name.
    const hosts = [image.host, image.host.replace('127.0.0.1', 'localhost')];
    const pushes = places.map(async (place, index) => push(place, { ...image, host: hosts[index] ?? '' }));
    for (const ran of await Promise.all(pushes)) expectSuccess(ran);
    const files = await (await pulled(image)).files();
    expect(await Promise.all(layouts.map(async (layout) => layout.files()))).toContainEqual(files);
  });

  it('pulls through a remote repository, the second time without a question to the upstream', async () => {
    const source = await local();
    const { layout, image } = await published(source);
    const [name = ''] = image.path.split('/').slice(-1);
    const copy = imageIn(await remoteOver(source), name);
    await expectSame(await pulled(copy), layout);
    expect(upstream.requests).not.toEqual([]);
    upstream.reset();
    await expectSame(await pulled(copy), layout);
    expect(upstream.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
  });

  it('pulls through a virtual repository what is local and what is upstream, and pushes through it', async () => {
    const source = await local();
    const theirs = await published(source);
    const all = await virtualOver(source);
    const mine = await published(all);
    await expectSame(await pulled(mine.image), mine.layout);
    const [name = ''] = theirs.image.path.split('/').slice(-1);
    await expectSame(await pulled(imageIn(all, name)), theirs.layout);
  });

  it('prints that a level is too low', async () => {
    const repository = await local();
    const place = sandbox();
    await madeIn(place);
    expectRefusal(await push(place, imageIn(repository, undefined, team.viewer.token)), client.prints.levelTooLow);
  });

  it('prints that a credential is wrong', async () => {
    const { image } = await published(await local());
    const wrong = { ...image, token: `${team.deployer.token.slice(0, -1)}~` };
    expectRefusal(await client.pull(sandbox(), wrong, ':1', 'pulled'), client.prints.wrongCredential);
  });

  if (remove)
    it('deletes an image, whose layers are swept', async () => {
      const { place, layout, image } = await published(await local());
      expectSuccess(await remove(place, image, layout.top.digest));
      expect((await client.pull(sandbox(), image, ':1', 'pulled')).isFailed).toBe(true);
      expect((await client.pull(sandbox(), image, `@${layout.top.digest}`, 'pulled')).isFailed).toBe(true);
      const [layer] = layout.document(layout.top.digest).layers ?? [];
      const blob = `${service.url}/v2/${image.path}/blobs/${layer?.digest}`;
      const statusOfLayer = async () =>
        (await fetch(blob, { headers: { Authorization: team.deployer.bearer }, redirect: 'manual' })).status;
      expect(await statusOfLayer()).toBe(200);
      await passADayOfImages();
      expect(await service.runner.runScheduled('sweeper')).toBe(true);
      expect(await statusOfLayer()).toBe(404);
    });

  it(`pushes and pulls a layer of ${layerBytes} bytes`, async () => {
    const tenth = (): string => randomBytes(layerBytes / 20).toString('hex');
    const files = Object.fromEntries(Array.from({ length: 10 }, (_each, index) => [`part-${index}`, tenth()]));
    const { layout, image } = await published(await local(), [files]);
    const found = await pulled(image);
    if (!packsAgain) expect(found.digests()).toEqual(layout.digests());
  });
});
