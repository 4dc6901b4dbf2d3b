import {
  createBlobUpload,
  deleteImageContent,
  publishImageContent,
  updateBlobUpload,
} from '../../functions/docker/contracts.ts';
import { deleteContent } from '../../functions/packages/contracts.ts';
import { passADay, passADayOfImages } from '../harness/due-blobs.ts';
import { digestOf, manifestOf, newImage, useImages } from '../harness/images.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { brokenContent, remains } from '../harness/stored-packages.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { withoutKeptNames } from './kept-names.ts';
import { type Kill, type KilledAction, killEverywhere as killDeed } from './killed-actions.ts';

jest.setTimeout(180_000);

const service = useService();
const images = useImages(service);
/** An image that stays, in a repository of its own. */
let kept: Awaited<ReturnType<typeof images.push>>;
let keptIn: Named;

const sweep = (): Promise<boolean> => service.runner.runScheduled('sweeper');

beforeAll(async () => {
  keptIn = await service.world.repository(images.setting.workspace, undefined, 'docker');
  kept = await images.push('kept', '1', newImage(), { repository: keptIn });
});

/** Kills a deed everywhere, beside the image that stays. */
const killEverywhere = async <Prepared>(
  deed: KilledAction<Prepared>,
  calls: readonly Kill['call'][],
): Promise<void> => {
  const bystander = async (): Promise<void> => {
    const { text } = await images.get('kept/manifests/1', { repository: keptIn });
    const layer = await images.get(`kept/blobs/${digestOf(kept.image.config)}`, { repository: keptIn });
    expect([text, layer.text]).toEqual([kept.manifest, kept.image.config]);
  };
  await killDeed(service, deed, { calls, bystander });
};

/** Deletes all other images: nothing may be left of them but names. */
afterEach(async () => {
  const { workspace, repository, admin } = images.setting;
  const params = { workspace: workspace.id, repository: repository.id };
  await service.client.succeed(deleteContent, { params, as: admin.bearer });
  await passADayOfImages();
  for (let day = 0; day < 2; day += 1) {
    expect(await sweep()).toBe(true);
    await passADay();
  }
  expect(await sweep()).toBe(true);
  expect(await brokenContent(service)).toEqual([]);
  const left = await withoutKeptNames(await remains(service));
  const isBlob = (key: string): boolean => /^(?:BLOB#|blobs\/)/.test(key);
  expect(left.filter((key) => !key.includes(keptIn.id) && !isBlob(key))).toEqual([]);
  expect(left.filter(isBlob)).toHaveLength(2 * [kept.manifest, kept.image.config, ...kept.image.layers].length);
});

const statusOf = async (path: string): Promise<number> => (await images.get(path)).status;

/** Whether an answer says that what was asked for is done, or was done by the try before. */
const isDone = ({ status }: { readonly status: number }, ...expected: readonly number[]): boolean =>
  expected.includes(status);

interface PushedBlob {
  readonly name: string;
  readonly bytes: string;
}

const newBlob = async (): Promise<PushedBlob> => ({ name: uniqueName('killed'), bytes: uniqueName('bytes') });

/** A blob is whole or not there, and there once its push succeeded. */
const blobCheck =
  (acknowledged: ReadonlySet<string>) =>
  async ({ name, bytes }: PushedBlob) => {
    const { status, text } = await images.get(`${name}/blobs/${digestOf(bytes)}`);
    if (acknowledged.has(bytes) || status !== 404) expect([status, text]).toEqual([200, bytes]);
  };

const blobDeed = (functionId: string, push: (blob: PushedBlob) => Promise<boolean>): KilledAction<PushedBlob> => {
  const acknowledged = new Set<string>();
  return {
    functionId,
    prepare: newBlob,
    act: async (blob) => {
      const hasSucceeded = await push(blob);
      if (hasSucceeded) acknowledged.add(blob.bytes);
      return hasSucceeded;
    },
    check: blobCheck(acknowledged),
  };
};

/** The calls for the first blob of an image: what all its blobs need, then the blob. */
const blobCalls = ['transaction', 'transaction', 'PUT', 'transaction'] as const;

/** Two manifests of an image, and a tag that leads to the first of them. */
const twoManifests = async () => {
  const name = uniqueName('killed');
  const first = await images.push(name, 'tag');
  const other = await images.push(name, 'other');
  return { name, first, other };
};
type TwoManifests = Awaited<ReturnType<typeof twoManifests>>;

/** What `npm run test:formats` kills; `npm test` takes three, others every day. */
const cases: Readonly<Record<string, () => Promise<void>>> = {
  'a push of a blob: it is whole or not there': async () =>
    killEverywhere(
      blobDeed(createBlobUpload.id, async ({ name, bytes }) =>
        isDone(await images.send('POST', `${name}/blobs/uploads/?digest=${digestOf(bytes)}`, { body: bytes }), 201),
      ),
      blobCalls,
    ),

  'a push of a manifest: the tag leads to the one before or to the new one, which is whole': async () => {
    let tagged = (await images.push('app', 'latest')).manifest;
    await killEverywhere(
      {
        functionId: publishImageContent.id,
        prepare: async () => {
          const image = newImage();
          for (const bytes of [image.config, ...image.layers]) await images.pushBlob('app', bytes);
          return { before: tagged, manifest: manifestOf(image) };
        },
        act: async ({ manifest }) => {
          const hasSucceeded = isDone(await images.pushManifest('app', 'latest', manifest), 201);
          if (hasSucceeded) tagged = manifest;
          return hasSucceeded;
        },
        check: async ({ before, manifest }) => {
          const { text } = await images.get('app/manifests/latest');
          expect([before, manifest]).toContain(text);
          if (tagged === manifest) expect(text).toBe(manifest);
          expect(await statusOf(`app/manifests/${digestOf(manifest)}`)).toBe(text === manifest ? 200 : 404);
          expect(await statusOf(`app/manifests/${digestOf(before)}`)).toBe(200);
        },
      },
      ['transaction', 'PUT', 'transaction'],
    );
  },

  'a move of a tag: it leads to the one or the other, and both stay': async () =>
    killEverywhere<TwoManifests>(
      {
        functionId: publishImageContent.id,
        prepare: twoManifests,
        act: async ({ name, other }) => isDone(await images.pushManifest(name, 'tag', other.manifest), 201),
        check: async ({ name, first, other }) => {
          expect([first.manifest, other.manifest]).toContain((await images.get(`${name}/manifests/tag`)).text);
          for (const { digest } of [first, other]) expect(await statusOf(`${name}/manifests/${digest}`)).toBe(200);
        },
      },
      ['transaction'],
    ),

  'a deletion of a manifest: it is there with its tags, or gone with them': async () =>
    killEverywhere<TwoManifests>(
      {
        functionId: deleteImageContent.id,
        prepare: async () => {
          const prepared = await twoManifests();
          await images.pushManifest(prepared.name, 'again', prepared.first.manifest);
          return prepared;
        },
        act: async ({ name, first }) => isDone(await images.remove(`${name}/manifests/${first.digest}`), 202, 404),
        check: async ({ name, first }) => {
          const status = await statusOf(`${name}/manifests/${first.digest}`);
          for (const tag of ['tag', 'again']) expect(await statusOf(`${name}/manifests/${tag}`)).toBe(status);
          const { tags } = JSON.parse((await images.get(`${name}/tags/list`)).text) as { tags: string[] };
          expect(tags).toEqual(status === 200 ? ['again', 'other', 'tag'] : ['other']);
          expect(await statusOf(`${name}/manifests/other`)).toBe(200);
        },
      },
      ['transaction', 'transaction', 'transaction'],
    ),

  'a sweep of blobs that nothing names: the next run goes on': async () => {
    await passADayOfImages();
    expect(await sweep()).toBe(true);
    await killEverywhere(
      {
        functionId: 'sweeper',
        prepare: async () => {
          const name = uniqueName('killed');
          const { image } = await images.push(name, '1');
          const unneeded = [uniqueName('unneeded'), uniqueName('unneeded')];
          for (const bytes of unneeded) await images.pushBlob(name, bytes);
          await passADayOfImages();
          return { name, image, unneeded };
        },
        act: sweep,
        check: async ({ name, image, unneeded }) => {
          for (const bytes of [image.config, ...image.layers])
            expect((await images.get(`${name}/blobs/${digestOf(bytes)}`)).text).toBe(bytes);
          for (const bytes of unneeded) await blobCheck(new Set())({ name, bytes });
        },
      },
      // Each of the two, then the entry of the queue.
      ['transaction', 'transaction', 'transaction'],
    );
  },

  'a completion of an upload: the blob is whole, and the upload over, or neither': async () =>
    killEverywhere(
      blobDeed(publishImageContent.id, async ({ name, bytes }) => isDone(await images.pushBlob(name, bytes), 201)),
      blobCalls,
    ),

  'a part of an upload: it is there, or can be sent again': async () =>
    killEverywhere(
      {
        functionId: updateBlobUpload.id,
        prepare: async () => {
          const blob = await newBlob();
          return { ...blob, location: await images.begin(blob.name) };
        },
        act: async ({ location, bytes }) => {
          const { headers } = await images.get(location);
          if (headers.range === `0-${bytes.length - 1}`) return true;
          return isDone(await images.send('PATCH', String(headers.location), { body: bytes }), 202);
        },
        check: async ({ name, location, bytes }) => {
          const { headers, status } = await images.get(location);
          expect([status, headers.range]).toEqual([204, expect.stringMatching(`^0-(?:0|${bytes.length - 1})$`)]);
          expect(await statusOf(`${name}/blobs/${digestOf(bytes)}`)).toBe(404);
        },
      },
      ['PUT', 'transaction'],
    ),

  'a mount of a blob: it is whole or not there': async () => {
    const { workspace, repository } = images.setting;
    await killEverywhere(
      {
        ...blobDeed(createBlobUpload.id, async ({ name, bytes }) => {
          const from = `${workspace.name}/${repository.name}/source`;
          const query = new URLSearchParams({ mount: digestOf(bytes), from }).toString();
          return isDone(await images.send('POST', `${name}/blobs/uploads/?${query}`), 201);
        }),
        prepare: async () => {
          const blob = await newBlob();
          await images.pushBlob('source', blob.bytes);
          return blob;
        },
      },
      ['transaction', 'transaction'],
    );
  },

  'a push of a manifest whose blobs are old: they are kept, and it is whole or not there': async () =>
    killEverywhere(
      {
        functionId: publishImageContent.id,
        prepare: async () => {
          const name = uniqueName('killed');
          const image = newImage();
          for (const bytes of [image.config, ...image.layers]) await images.pushBlob(name, bytes);
          await passADayOfImages();
          return { name, image, manifest: manifestOf(image) };
        },
        act: async ({ name, manifest }) => isDone(await images.pushManifest(name, '1', manifest), 201),
        check: async ({ name, image, manifest }) => {
          expect([200, 404]).toContain(await statusOf(`${name}/manifests/${digestOf(manifest)}`));
          for (const bytes of [image.config, ...image.layers])
            expect(await statusOf(`${name}/blobs/${digestOf(bytes)}`)).toBe(200);
        },
      },
      ['transaction', 'transaction', 'transaction', 'PUT', 'transaction'],
    ),

  'a deletion of a tag: it is there or gone, and what it leads to stays': async () =>
    killEverywhere<TwoManifests>(
      {
        functionId: deleteImageContent.id,
        prepare: twoManifests,
        act: async ({ name }) => isDone(await images.remove(`${name}/manifests/tag`), 202, 404),
        check: async ({ name, first }) => {
          expect([200, 404]).toContain(await statusOf(`${name}/manifests/tag`));
          expect(await statusOf(`${name}/manifests/${first.digest}`)).toBe(200);
        },
      },
      ['transaction'],
    ),

  'a deletion of a blob: it is there or gone': async () =>
    killEverywhere(
      {
        functionId: deleteImageContent.id,
        prepare: async () => {
          const blob = await newBlob();
          await images.pushBlob(blob.name, blob.bytes);
          return blob;
        },
        act: async ({ name, bytes }) => isDone(await images.remove(`${name}/blobs/${digestOf(bytes)}`), 202, 404),
        check: blobCheck(new Set()),
      },
      ['transaction'],
    ),
};

describe('Killed before and after each of its changes, and repeated', () => {
  const all = Object.entries(cases);
  it.each(process.env.ALL_KILLS ? all : sampleOf(all, today, 2))('%s', async (_, run) => run());
});
