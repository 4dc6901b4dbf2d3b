import { deleteContent, deletePackage, deletePackageVersion } from '../../functions/packages/contracts.ts';
import { deleteRepository } from '../../functions/repositories/contracts.ts';
import { needsCompaction } from '../../shared/packages/index/compaction.ts';
import { Table } from '../../shared/table/client.ts';
import { forgetRepositories } from '../../shared/table/identity/grant-sweeps.ts';
import { grantSweepsList } from '../../shared/table/keys.ts';
import { packageHeadKey } from '../../shared/table/packages/package-keys.ts';
import { passADay } from '../harness/due-blobs.ts';
import type { PackageFormat, VersionAddress } from '../harness/package-format.ts';
import { deleteVersionOf, nameIn, npmFormat, sampledFormats, universalFormat } from '../harness/package-formats.ts';
import { ageIndex, publishVersions } from '../harness/packages.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { brokenContent, remains } from '../harness/stored-packages.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { withoutKeptNames } from './kept-names.ts';
import { type Kill, type KilledAction, killEverywhere as killDeed, runKilled } from './killed-actions.ts';

jest.setTimeout(180_000);

const service = useService();
let workspace: Named;
let as: string;
/** A version that stays, with bytes that others share. */
let kept: VersionAddress;
const keptContent = 'kept';

const newRepository = async ({ packageType }: PackageFormat): Promise<Named> =>
  service.world.repository(workspace, undefined, packageType);

const newAddress = async (format: PackageFormat): Promise<VersionAddress> => ({
  workspace,
  repository: await newRepository(format),
  name: nameIn(format, uniqueName('killed')),
  version: '1.0.0',
  as,
});

const publish = async (format: PackageFormat, address: VersionAddress, content: string): Promise<void> => {
  const { status, text } = await format.publish(service, address, content);
  if (status !== 201) throw new Error(text);
};

beforeAll(async () => {
  workspace = await service.world.workspace();
  as = (await service.world.systemAdmin()).bearer;
  kept = await newAddress(universalFormat);
  await publish(universalFormat, kept, keptContent);
});

/** Grants on deleted repositories are swept half a minute later: on a slow machine, in the middle of another test. */
const forgetGrants = async (): Promise<void> => {
  const { items } = await new Table().query(grantSweepsList, { limit: 100 });
  for (const { position } of items) {
    const [deletedAt = '', workspaceId = '', repositoryId = ''] = position.split('#');
    await forgetRepositories(new Table(), { workspaceId, repositories: [{ repositoryId, deletedAt }] });
  }
};

const sweep = (): Promise<boolean> => service.runner.runScheduled('sweeper');

/** Kills a deed everywhere, beside a version that stays. */
const killEverywhere = async <Prepared>(
  deed: KilledAction<Prepared>,
  calls: readonly Kill['call'][],
  skipped = 0,
): Promise<void> => {
  const bystander = async (): Promise<void> => {
    const { status, text } = await universalFormat.download(service, kept);
    expect({ status, text }).toEqual({ status: 200, text: keptContent });
  };
  await killDeed(service, deed, { calls, skipped, bystander });
};

/** Deletes everything: nothing may be left but the version that is kept, and names. */
const expectNoGarbage = async (...repositories: readonly Pick<Named, 'id'>[]): Promise<void> => {
  for (const { id: repository } of repositories)
    await service.client.succeed(deleteContent, { params: { workspace: workspace.id, repository }, as });
  for (let day = 0; day < 2; day += 1) {
    expect(await sweep()).toBe(true);
    await passADay();
  }
  expect(await sweep()).toBe(true);
  expect(await brokenContent(service)).toEqual([]);
  const ofKept = (key: string): boolean => key.includes(kept.repository.id) || /^(?:BLOB#|blobs\/)/.test(key);
  const left = await withoutKeptNames(await remains(service));
  expect(left.filter((key) => !ofKept(key))).toEqual([]);
  expect(left.filter((key) => /^(?:BLOB#|blobs\/)/.test(key))).toHaveLength(2);
};

/** Three that take as long as all the others: `npm test` takes one of them, another one each day; `npm run test:formats` all. */
const long = ['compaction', 'deletion of many versions', 'sweep of blobs'] as const;
const longToday: readonly string[] = process.env.ALL_KILLS ? long : sampleOf(long, today);
const itTakesLong = (kind: (typeof long)[number], ...test: Parameters<typeof it>): void => {
  if (longToday.includes(kind)) it(...test);
};

describe.each(sampledFormats(0))('A publish of $packageType that is killed', (format) => {
  const { fileCount = 1, sendsFilesAlone } = format;
  const [requests, filesPerRequest] = sendsFilesAlone ? [fileCount, 1] : [1, fileCount];
  const times = <T>(count: number, ...each: T[]): T[] => Array.from({ length: count }, () => each).flat();
  const callsPerRequest = [
    ...times(filesPerRequest, 'transaction' as const),
    ...times(filesPerRequest, 'PUT' as const),
    'transaction' as const,
  ];

  it('is whole or not there, and its bytes are swept or used by the retry', async () => {
    const place = await newAddress(format);
    const published = new Map<string, string>();
    let patch = 0;
    await killEverywhere(
      {
        functionId: format.publishing.id,
        prepare: async () => {
          patch += 1;
          return { ...place, version: `1.0.${patch}` };
        },
        act: async (address) => {
          const content = `${address.name} ${address.version}`;
          const { status, code } = await format.publish(service, address, content);
          const isDone = status === 201 || code === 'VERSION_EXISTS';
          if (isDone) published.set(address.version, content);
          return isDone;
        },
        check: async (address) => {
          const shown = (await format.versions(service, place)) ?? [];
          expect(shown).toEqual(expect.arrayContaining([...published.keys()]));
          for (const version of new Set([...published.keys(), address.version])) {
            const { status, text } = await format.download(service, { ...place, version });
            const content = `${place.name} ${version}`;
            expect([status, text === content]).toEqual(shown.includes(version) ? [200, true] : [404, false]);
          }
        },
      },
      times(requests, ...callsPerRequest),
    );
    await expectNoGarbage(place.repository);
  });

  it('leaves bytes that nothing refers to, and that are gone two days later', async () => {
    const address = await newAddress(format);
    const calls = { tableCalls: filesPerRequest, storeCalls: filesPerRequest };
    const kill = { when: 'before', call: 'transaction', ...calls } as const;
    const { status } = await runKilled(service, format.publishing.id, kill, async () =>
      format.publish(service, address, 'never published'),
    );
    expect(status).toBe(503);
    expect((await remains(service)).filter((key) => key.startsWith('blobs/'))).toHaveLength(1 + filesPerRequest);
    await expectNoGarbage();
  });
});

describe('Killed, as is done with some in turn', () => {
  itTakesLong('compaction', 'a compaction loses no version, and the next publish makes up for it', async () => {
    const place = await newAddress(npmFormat);
    const ref = { contentId: place.repository.id, name: place.name };
    const head = async () => (await new Table().read([packageHeadKey(ref)])).find(packageHeadKey(ref));
    let count = 0;
    /** Publishes until a snapshot has a next one due, which the next publish writes. */
    const fill = async (): Promise<void> => {
      for (let known = await head(); !known?.snapshot || !needsCompaction(known); known = await head()) {
        await publishVersions(workspace, place.repository, place.name, 1, count);
        await ageIndex(ref);
        count += 1;
      }
    };
    await killEverywhere(
      {
        functionId: npmFormat.publishing.id,
        prepare: async () => {
          await fill();
          count += 1;
          return { ...place, version: `2.0.${count}` };
        },
        act: async (address) => {
          const { status, code } = await npmFormat.publish(service, address, `${address.name} ${address.version}`);
          return status === 201 || code === 'VERSION_EXISTS';
        },
        // That the index has exactly the versions that are there is checked with everything else.
        check: async () =>
          expect((await npmFormat.versions(service, place))?.length).toBe((await head())?.versionCount),
      },
      ['transaction', 'PUT', 'transaction', 'transaction', 'PUT', 'transaction', 'transaction'],
      3,
    );
    expect(needsCompaction(await head())).toBe(false);
    await expectNoGarbage(place.repository);
  });

  itTakesLong(
    'deletion of many versions',
    'a deletion of a package with more versions than one transaction deletes: each version is there, or gone',
    async () => {
      const repository = await newRepository(npmFormat);
      const params = { workspace: workspace.id, repository: repository.id };
      await killEverywhere(
        {
          functionId: deletePackage.id,
          prepare: async () => {
            const name = uniqueName('killed');
            await publishVersions(workspace, repository, name, 20);
            return name;
          },
          act: async (name) => {
            const { status, code } = await service.client.attempt(deletePackage, {
              params: { ...params, package: name },
              as,
            });
            return status === 200 || code === 'PACKAGE_NOT_FOUND';
          },
          check: async (name) => {
            const shown = (await npmFormat.versions(service, { workspace, repository, name, as })) ?? [];
            // A transaction deletes 18 such versions.
            expect([20, 2, 0]).toContain(shown.length);
          },
        },
        ['transaction', 'transaction'],
      );
      await expectNoGarbage(repository);
    },
  );

  itTakesLong(
    'sweep of blobs',
    'a sweep of blobs that nothing refers to deletes each object, and its item after it',
    async () => {
      // What others left to the sweeper is not counted.
      await expectNoGarbage();
      const place = await newAddress(universalFormat);
      let patch = 0;
      await killEverywhere(
        {
          functionId: 'sweeper',
          prepare: async () => {
            patch += 1;
            const address = { ...place, version: `1.0.${patch}` };
            await publish(universalFormat, address, `${place.name} ${patch}`);
            await deleteVersionOf(service, universalFormat, address);
            await passADay();
            return address;
          },
          act: sweep,
          check: async () => {},
        },
        ['transaction', 'DELETE', 'transaction'],
      );
      expect((await remains(service)).filter((key) => /^(?:BLOB#|SWEEP|blobs\/)/.test(key))).toHaveLength(2);
      await expectNoGarbage(place.repository);
    },
  );
});

describe('A deletion that is killed', () => {
  it.each(sampledFormats(1))('of a version of $packageType: the version is there, or gone', async (format) => {
    const place = await newAddress(format);
    let patch = 0;
    await killEverywhere(
      {
        functionId: deletePackageVersion.id,
        prepare: async () => {
          patch += 1;
          const address = { ...place, version: `1.0.${patch}` };
          await publish(format, address, patch % 2 === 0 ? keptContent : `${place.name} ${patch}`);
          return address;
        },
        act: async (address) => {
          const { status, code } = await deleteVersionOf(service, format, address);
          return status === 200 || code === 'VERSION_NOT_FOUND' || code === 'PACKAGE_NOT_FOUND';
        },
        check: async (address) => {
          const isShown = (await format.versions(service, place))?.includes(address.version) ?? false;
          expect((await format.download(service, address)).status).toBe(isShown ? 200 : 404);
        },
      },
      ['transaction'],
    );
    await expectNoGarbage(place.repository);
  });

  it.each(sampledFormats(2))(
    'of all content of a repository of $packageType: all is there, or nothing',
    async (format) => {
      const repositories: Named[] = [];
      await killEverywhere(
        {
          functionId: deleteContent.id,
          prepare: async () => {
            const address = await newAddress(format);
            repositories.push(address.repository as Named);
            for (const version of ['1.0.0', '1.1.0']) await publish(format, { ...address, version }, keptContent);
            return address;
          },
          act: async ({ repository }) => {
            const params = { workspace: workspace.id, repository: repository.id };
            return (await service.client.attempt(deleteContent, { params, as })).status === 200;
          },
          check: async (address) => {
            const shown = await format.versions(service, address);
            expect([undefined, 2]).toContain(shown?.length);
          },
        },
        ['transaction'],
      );
      await expectNoGarbage(...repositories);
    },
  );
});

describe('A sweep that is killed', () => {
  it.each(sampledFormats(3))(
    'of the content of a deleted repository of $packageType goes on in the next run',
    async (format) => {
      await killEverywhere(
        {
          functionId: 'sweeper',
          prepare: async () => {
            const address = await newAddress(format);
            await publish(format, { ...address, version: '1.0.0' }, keptContent);
            await publish(format, { ...address, version: '1.1.0' }, address.name);
            await deleteVersionOf(service, format, { ...address, version: '1.1.0' });
            const params = { workspace: workspace.id, repository: address.repository.id };
            await service.client.succeed(deleteRepository, { params, as });
            await forgetGrants();
            return address;
          },
          act: sweep,
          check: async ({ repository }) => {
            const left = (await remains(service)).filter((key) => key.includes(repository.id));
            // The note that content waits is the last that goes.
            if (left.length > 0) expect(left).toContain(`SWEEPCONTENT\n${repository.id}`);
          },
        },
        // The package, its name, the index of the repository if there is one, and the note that content waits.
        [
          ...(format.hasRepositoryIndex || format.hasBothIndexes ? (['transaction'] as const) : []),
          'transaction',
          'transaction',
          'transaction',
        ],
      );
      await expectNoGarbage();
    },
  );
});
