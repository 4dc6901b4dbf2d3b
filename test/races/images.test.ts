import { deleteContent } from '../../functions/packages/contracts.ts';
import { deleteRepository } from '../../functions/repositories/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { pollDuring, Race } from '../harness/concurrency.ts';
import { passADay, passADayOfImages } from '../harness/due-blobs.ts';
import { digestOf, manifestOf, newImage, type TestImage, useImages } from '../harness/images.ts';
import { createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { brokenContent, remains } from '../harness/stored-packages.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { withoutKeptNames } from '../kills/kept-names.ts';

/** `npm run test:formats` and `npm run test:races` ask for more. */
const isFull = process.env.ALL_FORMATS !== undefined;
const rounds = Number(process.env.RACE_ROUNDS ?? 2);
const crowdedRounds = Math.ceil(Number(process.env.RACE_ROUNDS ?? 1) / 20);

/** So many push at once. */
const sides = isFull ? 50 : 12;

/** So many blobs of one image are pushed at once. */
const blobsAtOnce = isFull ? 300 : 40;

jest.setTimeout(120_000 + rounds * 6_000);

const service = useService();
const images = useImages(service);
let virtual: Named;

beforeAll(async () => {
  const { workspace, repository } = images.setting;
  virtual = await createVirtual(service, workspace, [repository], {
    packageType: 'docker',
    uploadLocalRepositoryId: repository.id,
  });
  // The first calls start the functions.
  await images.push('first', '1');
  await images.get('first/manifests/1', { repository: virtual });
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const sweep = (): Promise<boolean> => service.runner.runScheduled('sweeper');

/** Over a few rounds one side may always win. */
const expectBothToHaveWon = (race: Race): void => (rounds < 50 ? race.report() : race.expectBothToHaveWon());

/** Deletes all images: nothing may be left of them. */
const expectNoGarbage = async (): Promise<void> => {
  const { workspace, repository, admin } = images.setting;
  const params = { workspace: workspace.id, repository: repository.id };
  await service.client.succeed(deleteContent, { params, as: admin.bearer });
  await passADayOfImages();
  for (let day = 0; day < 2; day += 1) {
    await passADay();
    expect(await sweep()).toBe(true);
  }
  expect(await withoutKeptNames(await remains(service))).toEqual([]);
};

/** After each round everything must be consistent, and at the end nothing may be left. */
const inRounds = async (count: number, run: (name: string) => Promise<void>): Promise<void> => {
  for (let round = 0; round < count; round += 1) {
    service.proxy.conflictsLikeDynamoDb = round % 2 === 0;
    await run(uniqueName('raced'));
    service.proxy.conflictsLikeDynamoDb = false;
    expect(await brokenContent(service)).toEqual([]);
    if (round % 20 === 19) say(`${round + 1} of ${count} rounds`);
  }
  await passADayOfImages();
  expect(await sweep()).toBe(true);
  expect(await brokenContent(service)).toEqual([]);
  await expectNoGarbage();
};

const postBlob = async (name: string, bytes: string | Uint8Array): Promise<Answer> =>
  images.send('POST', `${name}/blobs/uploads/?digest=${digestOf(bytes)}`, { body: bytes });

const blobsOf = ({ config, layers }: TestImage) => [config, ...layers];

/** Pushes an image as clients do: its blobs at once, then the manifest. */
const pushAtOnce = async (name: string, tag: string, image: TestImage): Promise<Answer[]> => {
  const blobs = await Promise.all(blobsOf(image).map(async (bytes) => postBlob(name, bytes)));
  return [...blobs, await images.pushManifest(name, tag, manifestOf(image))];
};

/** Pulls through the virtual repository until the work is done: a tag that is shown leads to a manifest, whose blobs are there. */
const whilePulled = async <T>(name: string, tags: readonly string[], work: Promise<T>): Promise<T> => {
  const pull = async (tag: string): Promise<void> => {
    const { status, text } = await images.get(`${name}/manifests/${tag}`, { repository: virtual });
    if (status === 404) return;
    expect(status).toBe(200);
    const { layers } = JSON.parse(text) as { layers: { digest: string }[] };
    for (const { digest } of layers) {
      const layer = await images.get(`${name}/blobs/${digest}`, { repository: virtual });
      expect([layer.status, digestOf(layer.text)]).toEqual([200, digest]);
    }
  };
  return pollDuring(async () => pull(tags[Math.floor(Math.random() * tags.length)] ?? ''), work);
};

const statusesOf = (answers: readonly Answer[]): number[] => [...new Set(answers.map(({ status }) => status))];

it(`${sides} pushes of distinct images under one name at once: none is lost, and all are pulled meanwhile`, async () => {
  let pushed = 0;
  await inRounds(crowdedRounds, async (name) => {
    const pushes = Array.from({ length: sides }, (_, side) => ({ tag: `1.${side}`, image: newImage() }));
    const work = Promise.all(pushes.map(async ({ tag, image }) => pushAtOnce(name, tag, image)));
    const answers = await whilePulled(
      name,
      pushes.map(({ tag }) => tag),
      work,
    );
    expect(statusesOf(answers.flat())).toEqual([201]);
    for (const { tag, image } of pushes)
      expect((await images.get(`${name}/manifests/${tag}`)).text).toBe(manifestOf(image));
    const { tags } = JSON.parse((await images.get(`${name}/tags/list`)).text) as { tags: string[] };
    expect(tags.toSorted()).toEqual(pushes.map(({ tag }) => tag).toSorted());
    pushed += tags.length;
  });
  say(
    `docker: ${crowdedRounds} × ${sides} pushes of one image: ${pushed} tags, ${crowdedRounds * sides - pushed} lost`,
  );
});

it(`one tag from ${sides} sides: it leads to one of the manifests, and all of them stay`, async () => {
  await inRounds(crowdedRounds, async (name) => {
    const pushes = Array.from({ length: sides }, () => newImage());
    const work = Promise.all(pushes.map(async (image) => pushAtOnce(name, 'latest', image)));
    const answers = await whilePulled(name, ['latest'], work);
    expect(statusesOf(answers.flat())).toEqual([201]);
    const manifests = pushes.map((image) => manifestOf(image));
    expect(manifests).toContain((await images.get(`${name}/manifests/latest`)).text);
    for (const manifest of manifests)
      expect((await images.get(`${name}/manifests/${digestOf(manifest)}`)).text).toBe(manifest);
  });
});

it(`${blobsAtOnce} blobs of a new image at once: each is stored, and none is answered 503`, async () => {
  await inRounds(1, async (name) => {
    const blobs = Array.from({ length: blobsAtOnce }, (_, at) => `${name} ${at}`);
    service.proxy.forget();
    const answers = await Promise.all(blobs.map(async (bytes) => postBlob(name, bytes)));
    expect(statusesOf(answers)).toEqual([201]);
    const refused = service.proxy.calls.filter(({ status }) => status === 400).length;
    say(`docker: ${blobsAtOnce} blobs at once: ${service.proxy.calls.length} calls, ${refused} refused`);
  });
});

it('Blobs of one image meet on shards, and on nothing that all of them write', async () => {
  const name = uniqueName('alone');
  await postBlob(name, 'first');
  const keysOf = async (bytes: string): Promise<string[]> => {
    service.proxy.forget();
    expect((await postBlob(name, bytes)).status).toBe(201);
    return service.proxy.writes.flatMap(({ keys }) => keys);
  };
  const [one, other] = [await keysOf('one'), await keysOf('other')];
  const isShard = (key: string): boolean => /^USAGE#|^PACKAGE#.* SIZE#/.test(key);
  expect(one.filter((key) => other.includes(key) && !isShard(key))).toEqual([]);
  expect(one.filter(isShard)).toHaveLength(3);
  await expectNoGarbage();
});

it('a push of a manifest while its blobs are swept: it has its blobs, or is refused', async () => {
  const race = new Race('docker: manifest against the sweep of its blobs', 'published', 'swept');
  await inRounds(rounds, async (name) => {
    const image = newImage();
    for (const bytes of blobsOf(image)) await postBlob(name, bytes);
    await passADayOfImages();
    const [published, swept] = await Promise.all([
      race.start(0, async () => images.pushManifest(name, '1', manifestOf(image))),
      race.start(1, sweep),
    ]);
    expect(swept).toBe(true);
    expect([undefined, 'PACKAGE_INVALID']).toContain(published.code);
    if (published.status === 201)
      for (const bytes of blobsOf(image))
        expect((await images.get(`${name}/blobs/${digestOf(bytes)}`)).text).toBe(bytes);
    else expect(statusesOf(await pushAtOnce(name, '1', image))).toEqual([201]);
    race.won(published.status === 201 ? 0 : 1);
  });
  expectBothToHaveWon(race);
});

it('a push of a blob while the same blob is swept: it has its bytes', async () => {
  const race = new Race('docker: blob against its sweep', 'kept', 'swept');
  await inRounds(rounds, async (name) => {
    await postBlob(name, name);
    await passADayOfImages();
    const before = (await remains(service)).filter((key) => key.startsWith('blobs/'));
    const [pushed, swept] = await Promise.all([race.start(0, async () => postBlob(name, name)), race.start(1, sweep)]);
    expect([pushed.status, swept]).toEqual([201, true]);
    expect((await images.get(`${name}/blobs/${digestOf(name)}`)).text).toBe(name);
    const after = new Set(await remains(service));
    race.won(before.every((key) => after.has(key)) ? 0 : 1);
  });
  race.report();
});

it('a push while its repository is deleted: in it before that, or refused', async () => {
  const { workspace, admin } = images.setting;
  const race = new Race('docker: push against deletion of the repository', 'pushed', 'deleted');
  await inRounds(rounds, async (name) => {
    const repository = await service.world.repository(workspace, undefined, 'docker');
    const image = newImage();
    for (const bytes of blobsOf(image)) await images.pushBlob(name, bytes, { repository });
    const params = { workspace: workspace.id, repository: repository.id };
    const [pushed, manifest, deleted] = await Promise.all([
      race.start(0, async () => images.pushBlob(name, 'one more', { repository }).catch(() => undefined)),
      race.start(0, async () => images.pushManifest(name, '1', manifestOf(image), { repository })),
      race.start(1, async () => service.client.call(deleteRepository, { params, as: admin.bearer })),
    ]);
    expect(deleted.status).toBe(200);
    expect([undefined, 'REPOSITORY_NOT_FOUND', 'UPLOAD_NOT_FOUND']).toContain(pushed?.code);
    expect([undefined, 'REPOSITORY_NOT_FOUND']).toContain(manifest.code);
    race.won(manifest.status === 201 ? 0 : 1);
  });
  expectBothToHaveWon(race);
});

it('a push of a manifest while a blob of it is deleted: one of the two is refused', async () => {
  const race = new Race('docker: manifest against DELETE of its blob', 'published', 'deleted');
  await inRounds(rounds, async (name) => {
    const image = newImage();
    for (const bytes of blobsOf(image)) await postBlob(name, bytes);
    const [published, deleted] = await Promise.all([
      race.start(0, async () => images.pushManifest(name, '1', manifestOf(image))),
      race.start(1, async () => images.remove(`${name}/blobs/${digestOf(image.config)}`)),
    ]);
    expect([
      [201, 400],
      [400, 202],
    ]).toContainEqual([published.status, deleted.status]);
    race.won(published.status === 201 ? 0 : 1);
  });
  expectBothToHaveWon(race);
});
