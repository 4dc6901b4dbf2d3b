import { deleteContent } from '../../functions/packages/contracts.ts';
import { deleteRepository } from '../../functions/repositories/contracts.ts';
import { storeBlob } from '../../shared/packages/blobs/blob-storage.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { Table } from '../../shared/table/client.ts';
import type { Answer } from '../harness/client.ts';
import { pollDuring, Race } from '../harness/concurrency.ts';
import { passADay } from '../harness/due-blobs.ts';
import { storedObjects } from '../harness/object-store.ts';
import type { PackageFormat, VersionAddress } from '../harness/package-format.ts';
import { deleteVersionOf, nameIn, packageFormats, sampledFormats } from '../harness/package-formats.ts';
import { createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { brokenContent, remains } from '../harness/stored-packages.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { withoutKeptNames } from '../kills/kept-names.ts';

/** `npm run test:races` asks for more. */
const rounds = Number(process.env.RACE_ROUNDS ?? 3);
const crowdedRounds = Number(process.env.RACE_ROUNDS ?? 1);
const patience = 60_000 + rounds * 6_000;

/** Over a few rounds one side may always win. */
const expectBothToHaveWon = (race: Race): void => (rounds < 50 ? race.report() : race.expectBothToHaveWon());

/** So many publish at once; fifty where there is time for all formats. */
const sides = process.env.ALL_FORMATS ? 50 : 16;

const service = useService();
let as: string;

beforeAll(async () => {
  as = (await service.world.systemAdmin()).bearer;
});

const versionsOfSides = Array.from({ length: sides }, (_, side) => `1.0.${side}`);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const sweep = (): Promise<boolean> => service.runner.runScheduled('sweeper');

/** A repository, and a virtual one over it that somebody reads through. */
interface Place {
  readonly workspace: Named;
  readonly repository: Named;
  /** Replaced when all is deleted. */
  virtual: Named;
  readonly format: PackageFormat;
}

const newPlace = async (format: PackageFormat): Promise<Place> => {
  const { packageType } = format;
  const workspace = await service.world.workspace();
  const repository = await service.world.repository(workspace, undefined, packageType);
  const virtual = await createVirtual(service, workspace, [repository], { packageType });
  return { workspace, repository, virtual, format };
};

const empty = async ({ workspace, repository }: Place) =>
  service.client.call(deleteContent, { params: { workspace: workspace.id, repository: repository.id }, as });

/** The sets of documents that a virtual repository has signed end with it. */
const replaceVirtual = async (place: Place): Promise<void> => {
  const { workspace, repository, virtual, format } = place;
  await service.client.succeed(deleteRepository, { params: { workspace: workspace.id, repository: virtual.id }, as });
  place.virtual = await createVirtual(service, workspace, [repository], {
    packageType: format.packageType,
  });
};

/** After each round everything must be consistent; now and then all is deleted, and nothing may be left. */
const inRounds = async (
  count: number,
  place: Place,
  run: (address: VersionAddress, round: number) => Promise<void>,
  conflictingEvery = 2,
) => {
  for (let round = 0; round < count; round += 1) {
    service.proxy.conflictsLikeDynamoDb = round % conflictingEvery === 0;
    await run({ ...place, name: nameIn(place.format, uniqueName('raced')), version: '1.0.0', as }, round);
    service.proxy.conflictsLikeDynamoDb = false;
    expect(await brokenContent(service)).toEqual([]);
    if (round % 20 === 19) say(`${round + 1} of ${count} rounds`);
    if (round % 10 < 9 && round < count - 1) continue;
    await empty(place);
    await replaceVirtual(place);
    await passADay();
    expect(await sweep()).toBe(true);
    await passADay();
    expect(await sweep()).toBe(true);
    expect(await withoutKeptNames(await remains(service))).toEqual([]);
    expect(await brokenContent(service)).toEqual([]);
  }
};

/** What a reader may rely on while others write. */
interface Reading {
  /** The content of each version that may be there. */
  readonly contentOf: (version: string) => readonly string[];
  /** The versions that are published and stay. */
  readonly acknowledged?: ReadonlySet<string>;
}

let reads = 0;

/** Reads through the virtual repository until the work is done: what is acknowledged is there, and what is shown is whole. */
const whileRead = async <T>(
  format: PackageFormat,
  place: Place,
  { name }: VersionAddress,
  { contentOf, acknowledged }: Reading,
  work: Promise<T>,
): Promise<T> => {
  const through = { workspace: place.workspace, repository: place.virtual, name, as };
  const readOnce = async (): Promise<void> => {
    const expected = [...(acknowledged ?? [])];
    const shown = (await format.versions(service, through)) ?? [];
    expect(shown).toEqual(expect.arrayContaining(expected));
    const version = shown[Math.floor(Math.random() * shown.length)];
    if (version === undefined) return;
    const { status, text } = await format.download(service, { ...through, version });
    if (acknowledged || status !== 404)
      expect({ status, isWhole: contentOf(version).includes(text) }).toEqual({ status: 200, isWhole: true });
    reads += 1;
  };
  return pollDuring(readOnce, work);
};

let unavailable = 0;

/** Sends a request again as long as the answer is 503: the table conflicts as long as others write the same items. */
const insist = async (send: () => Promise<Answer>): Promise<Pick<Answer, 'status' | 'code'>> => {
  for (;;) {
    const { status, code } = await send();
    if (status !== 503) return { status, code };
    unavailable += 1;
  }
};

/** Defines the races of a format: each takes one format, another one every day, and in `npm run test:races` all of them. */
const racesOf = (format: PackageFormat) => {
  let turn = 0;
  return (...race: Parameters<jest.It>): void => {
    if (sampledFormats(turn).includes(format)) it(...race);
    turn += 1;
  };
};

describe.each(packageFormats)('$packageType', (format) => {
  const itRaces = racesOf(format);
  let place: Place;
  beforeAll(async () => {
    place = await newPlace(format);
    // The first calls start the functions.
    await inRounds(1, place, async (address) => void (await format.publish(service, address, 'first')));
  });
  beforeEach(() => {
    reads = 0;
    unavailable = 0;
  });

  itRaces(
    `${sides} publishes of one package at once: ${sides} versions`,
    async () => {
      let published = 0;
      await inRounds(
        crowdedRounds,
        place,
        async (address, round) => {
          const contentOf = (version: string) => (round % 4 < 2 ? 'the same bytes' : `${address.name} ${version}`);
          const acknowledged = new Set<string>();
          const publishing = versionsOfSides.map(async (version) => {
            const outcome = await insist(async () =>
              format.publish(service, { ...address, version }, contentOf(version)),
            );
            acknowledged.add(version);
            return outcome;
          });
          const reading = { contentOf: (version: string) => [contentOf(version)], acknowledged };
          const answers = await whileRead(format, place, address, reading, Promise.all(publishing));
          // Who was answered 503 has published nothing: otherwise the next answer would be 409.
          expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
          expect((await format.versions(service, address))?.toSorted()).toEqual(versionsOfSides.toSorted());
          published += answers.length;
        },
        10,
      );
      say(
        `${format.packageType}: ${crowdedRounds} × ${sides} publishes of one package: ${published} versions, ${crowdedRounds * sides - published} lost, ${reads} reads through a virtual repository, ${unavailable} × 503`,
      );
    },
    patience,
  );

  itRaces(
    `one version from ${sides} sides: one 201, all others 409`,
    async () => {
      const counts = new Map<string, number>();
      await inRounds(
        crowdedRounds,
        place,
        async (address, round) => {
          const contents = versionsOfSides.map((side) =>
            round % 4 < 2 ? `${address.name} of ${side}` : 'the same bytes',
          );
          const publishing = contents.map(async (content) =>
            insist(async () => format.publish(service, address, content)),
          );
          const answers = await whileRead(
            format,
            place,
            address,
            { contentOf: () => contents },
            Promise.all(publishing),
          );
          const winners = answers.filter(({ status }) => status === 201);
          expect(answers.filter(({ status, code }) => status !== 201 && code !== 'VERSION_EXISTS')).toEqual([]);
          expect(winners).toHaveLength(1);
          const { status, text } = await format.download(service, address);
          expect({ status, isOneOfThem: contents.includes(text) }).toEqual({ status: 200, isOneOfThem: true });
          const kept = format.managersReplace ? [] : answers.entries();
          for (const [side, answer] of kept) if (answer.status === 201) expect(text).toBe(contents[side]);
          const outcomes = answers.map((answer) => `${answer.status} ${answer.code ?? ''}`.trim());
          for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        },
        10,
      );
      say(
        `${format.packageType}: ${crowdedRounds} × one version from ${sides} sides: ${[...counts].map(([outcome, count]) => `${count} × ${outcome}`).join(', ')}, ${reads} reads, ${unavailable} × 503`,
      );
    },
    patience,
  );

  itRaces(
    'a publish while its repository is deleted: in it before that, or refused',
    async () => {
      const race = new Race(
        `${format.packageType}: publish against deletion of the repository`,
        'published',
        'deleted',
      );
      await inRounds(rounds, place, async (address) => {
        const { workspace } = place;
        const repository = await service.world.repository(workspace, undefined, format.packageType);
        const [published, deleted] = await Promise.all([
          race.start(0, async () => format.publish(service, { ...address, repository }, address.name)),
          race.start(1, async () =>
            service.client.call(deleteRepository, {
              params: { workspace: workspace.id, repository: repository.id },
              as,
            }),
          ),
        ]);
        expect(deleted.status).toBe(200);
        expect([undefined, 'REPOSITORY_NOT_FOUND']).toContain(published.code);
        race.won(published.status === 201 ? 0 : 1);
      });
      expectBothToHaveWon(race);
    },
    patience,
  );

  itRaces(
    'a publish while its repository is emptied: before, after, or refused, and never half',
    async () => {
      const race = new Race(`${format.packageType}: publish against emptying`, 'published first', 'emptied first');
      await inRounds(rounds, place, async (address) => {
        const content = address.name;
        const [published, emptied] = await whileRead(
          format,
          place,
          address,
          { contentOf: () => [content] },
          Promise.all([
            race.start(0, async () => format.publish(service, address, content)),
            race.start(1, async () => empty(place)),
          ]),
        );
        expect(emptied.status).toBe(200);
        expect([undefined, 'SERVICE_UNAVAILABLE']).toContain(published.code);
        const isThere = (await format.download(service, address)).status === 200;
        expect(await format.versions(service, address)).toEqual(isThere ? ['1.0.0'] : undefined);
        if (isThere) expect(published.status).toBe(201);
        else if (published.status !== 201) expect((await format.publish(service, address, content)).status).toBe(201);
        race.won(published.status === 201 && !isThere ? 0 : 1);
      });
      expectBothToHaveWon(race);
    },
    patience,
  );

  itRaces(
    'a publish while the same bytes are swept: it has its bytes',
    async () => {
      const race = new Race(`${format.packageType}: publish against the sweep of its blob`, 'revived', 'swept');
      await inRounds(rounds, place, async (address, round) => {
        const content = address.name;
        // Bytes that were released, or those of a publish that was interrupted before anything referred to them.
        if (round % 4 < 2) {
          await format.publish(service, { ...address, version: '0.0.1' }, content);
          await deleteVersionOf(service, format, { ...address, version: '0.0.1' });
        } else await storeBlob(new Table(), place.workspace.id, fileInMemory(Buffer.from(content)));
        await passADay();
        const before = await storedObjects(service);
        const [published, swept] = await whileRead(
          format,
          place,
          address,
          { contentOf: () => [content] },
          Promise.all([race.start(0, async () => format.publish(service, address, content)), race.start(1, sweep)]),
        );
        expect({ status: published.status, swept }).toEqual({ status: 201, swept: true });
        expect((await format.download(service, address)).text).toBe(content);
        race.won([...(await storedObjects(service))].every((key) => before.has(key)) ? 0 : 1);
      });
      expectBothToHaveWon(race);
    },
    patience,
  );

  itRaces(
    'a publish while its version is deleted: refused before, back after, and whole',
    async () => {
      const race = new Race(`${format.packageType}: publish against deletion of the version`, 'published', 'deleted');
      await inRounds(rounds, place, async (address, round) => {
        const content = address.name;
        await format.publish(service, address, content);
        const isOtherFile = format.packageType === 'universal' && round % 4 > 1;
        const again = isOtherFile ? { ...address, file: 'another' } : address;
        const [published, deleted] = await whileRead(
          format,
          place,
          address,
          { contentOf: () => [content] },
          Promise.all([
            race.start(0, async () => format.publish(service, again, content)),
            race.start(1, async () => deleteVersionOf(service, format, address)),
          ]),
        );
        expect(deleted.status).toBe(200);
        if (published.status !== 201 || isOtherFile) expect([undefined, 'VERSION_EXISTS']).toContain(published.code);
        const isThere = (await format.download(service, again)).status === 200;
        expect(await format.versions(service, address)).toEqual(isThere ? ['1.0.0'] : undefined);
        // Between two files that come alone, the first one may be deleted.
        const isSure = isThere || !format.sendsFilesAlone;
        if (!isOtherFile && isSure) expect(isThere).toBe(published.status === 201);
        if (isOtherFile) expect((await format.download(service, address)).status).toBe(404);
        race.won(isThere ? 1 : 0);
      });
      expectBothToHaveWon(race);
    },
    patience,
  );
});
