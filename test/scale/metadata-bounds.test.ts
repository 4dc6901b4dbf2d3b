import { publishNpmPackage } from '../../functions/npm/contracts.ts';
import { ApiError } from '../../shared/errors.ts';
import { deleteVersion } from '../../shared/packages/changes/deletion.ts';
import { publish } from '../../shared/packages/changes/publish-to.ts';
import { changeVersion } from '../../shared/packages/changes/version-changes.ts';
import { indexBytesMax, sizeOfEntry } from '../../shared/packages/index/entry-bounds.ts';
import { entriesOf, readIndex } from '../../shared/packages/index/package-index.ts';
import { Table } from '../../shared/table/client.ts';
import { type IndexRef, indexHeadKey } from '../../shared/table/packages/package-keys.ts';
import { readUsageAndEntries } from '../../shared/table/packages/usage.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { errorsOf, useCargoRegistry } from '../harness/cargo.ts';
import { useHelmRepository } from '../harness/helm.ts';
import { errorOf, publishBody, useNpmRepository } from '../harness/npm.ts';
import { type PublicationFields, publicationOf, storedRepository } from '../harness/packages.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const npm = useNpmRepository(service);
const helm = useHelmRepository(service);
const cargo = useCargoRegistry(service);

/** It compresses a thousand times. */
const long = (bytes: number): string => 'a'.repeat(bytes);

const tooLarge = (bytesMax: number): RegExp =>
  new RegExp(`\\d+ bytes, and may have at most ${bytesMax}\\b.*Move long texts`);

describe('Metadata that compresses to nothing is refused by its size before compression, and the index stays readable:', () => {
  it('a manifest of npm, its abbreviated form, and a deprecation', async () => {
    const name = await npm.publish();
    const put = async (body: object) => npm.send(publishNpmPackage, name, { body });
    const sent = [
      [{ unheardOf: long(1_000_001) }, 1_000_000],
      [{ dependencies: { [long(1_500_000)]: '1.0.0' } }, 1_000_000],
      [{ dependencies: { [long(256_001)]: '1.0.0' } }, 256_000],
    ] as const;
    for (const [manifest, bytesMax] of sent) {
      const answer = await put(publishBody(name, '2.0.0', manifest));
      expect([answer.code, errorOf(answer)]).toEqual(['PACKAGE_INVALID', expect.stringMatching(tooLarge(bytesMax))]);
    }
    const { versions } = await npm.document(`${name}?write=true`);
    const deprecated = { ...versions['1.0.0'], deprecated: long(256_001) };
    expect(errorOf(await put({ name, versions: { '1.0.0': deprecated } }))).toMatch(tooLarge(256_000));
    expect((await put(publishBody(name, '2.0.0', { description: long(900_000) }))).status).toBe(201);
    expect(Object.keys((await npm.document(name)).versions)).toEqual(['1.0.0', '2.0.0']);
  });

  it('the Chart.yaml of a chart', async () => {
    const publishChart = async (bytes: number) => helm.publish({ lines: `description: ${long(bytes)}\n` });
    await expect(publishChart(64_001)).rejects.toThrow(tooLarge(64_000));
    const { name } = await publishChart(60_000);
    expect(Object.keys((await helm.index()).entries)).toEqual([name]);
  });

  it('the features and the description of a crate', async () => {
    const crate = () => ({ name: uniqueName('crate'), version: '1.0.0' });
    const features = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`feature-${at}${long(40)}`, []]));
    for (const fields of [{ features }, { description: long(256_001) }])
      expect(errorsOf(await cargo.publish(crate(), fields))).toEqual([expect.stringMatching(tooLarge(256_000))]);
    expect((await cargo.publish(crate(), { description: long(200_000) })).status).toBe(200);
  });
});

describe('An entry of any type', () => {
  it('has at most 1,400,000 bytes before compression, and the index stays as it was', async () => {
    const repository = await newRepository();
    const ref = refOf(repository, {});
    const publishing = async (version: string, bytes: number) =>
      outcomeOf(publish(new Table(), publicationOf(repository, { version, content: version, parts: entry(bytes) })));
    expect(await publishing('1.0.0', 1_400_000)).toBe('published');
    const before = await headOf(ref);
    expect(await publishing('2.0.0', 1_400_001)).toMatch(tooLarge(1_400_000));
    expect(await headOf(ref)).toEqual(before);
  });
});

const newRepository = async (): Promise<LocalRepository> => {
  const workspace = await service.world.workspace();
  return storedRepository(workspace.id, (await service.world.repository(workspace)).id);
};

/** What an index counts for each of its entries beside the texts, with a version of five letters. */
const ofEach = 205;

const entry = (bytes: number): readonly string[] => [long(bytes)];

const refOf = (repository: LocalRepository, fields: PublicationFields): IndexRef => ({
  contentId: contentIdOf(repository),
  ...(fields.index === undefined && { name: 'left-pad' }),
});

const headOf = async (ref: IndexRef) => {
  const key = indexHeadKey(ref);
  return (await new Table().read([key])).find(key);
};

/** Leaves so much room in an index. */
const leaveRoom = async (ref: IndexRef, bytes: number): Promise<void> => {
  const { entryBytes = 0 } = (await headOf(ref)) ?? {};
  const values = { ':bytes': indexBytesMax - bytes - entryBytes };
  await new Table().writeUnrecorded([{ update: indexHeadKey(ref), set: 'ADD #entryBytes :bytes', values }]);
};

const outcomeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'published',
    (error: unknown) => (error instanceof ApiError ? `${error.code} ${error.message}` : String(error)),
  );

describe.each([
  ['a package', {}],
  ['a repository', { index: 'repository' }],
] as const)('The index of %s', (_, fields) => {
  const nameBytes = 'index' in fields ? 'left-pad '.length : 0;
  const each = ofEach + nameBytes;

  const publishing = async (repository: LocalRepository, version: string, bytes: number) =>
    outcomeOf(
      publish(new Table(), publicationOf(repository, { ...fields, version, content: version, parts: entry(bytes) })),
    );

  it('counts the size of its entries, and the workspace does so too; a removed one leaves its name', async () => {
    const repository = await newRepository();
    const ref = refOf(repository, fields);
    for (const [version, bytes] of [
      ['1.0.0', 700],
      ['2.0.0', 30],
    ] as const)
      await publishing(repository, version, bytes);
    const added = publicationOf(repository, {
      ...fields,
      version: '2.0.0',
      files: [],
      isOpen: true,
      addedParts: (parts) => [...parts, long(5)],
    });
    await publish(new Table(), added);
    const counted = async () => [
      (await headOf(ref))?.entryBytes,
      (await readUsageAndEntries(new Table(), repository.workspaceId)).entryBytes,
      (await readUsageAndEntries(new Table(), contentIdOf(repository))).entryBytes,
    ];
    const all = 735 + 2 * each;
    expect(await counted()).toEqual([all, all, all]);
    const found = await readIndex(new Table(), ref);
    const entries = found ? [...(await entriesOf(new Table(), found)).values()] : [];
    expect(entries.reduce((sum, { version, parts }) => sum + sizeOfEntry(version, parts), 0)).toBe(all);
    await deleteVersion(new Table(), repository, 'left-pad', '1.0.0');
    const one = 35 + 2 * each;
    expect(await counted()).toEqual([one, one, one]);
    await publishing(repository, '3.0.0', 10);
    await deleteVersion(new Table(), repository, 'left-pad', '2.0.0');
    const other = 10 + 3 * each;
    expect(await counted()).toEqual([other, other, other]);
    await publishing(repository, '1.0.0', 40);
    expect((await headOf(ref))?.entryBytes).toBe(other + 40);
  });

  it('refuses an entry for which it has no room with the figures, also of two that come at once', async () => {
    const repository = await newRepository();
    await publishing(repository, '1.0.0', 700);
    await leaveRoom(refOf(repository, fields), 100 + each);
    expect(await publishing(repository, '2.0.0', 101)).toBe(
      `PACKAGE_INVALID The index has ${indexBytesMax - 100 - each} bytes of metadata and would get ${101 + each} more, and may have at most ${indexBytesMax}. Delete versions that nobody needs, or publish to another repository.`,
    );
    const outcomes = await Promise.all(
      ['3.0.0', '4.0.0', '5.0.0'].map((version) => publishing(repository, version, 60)),
    );
    expect(outcomes.map((outcome) => String(outcome.split(' ')[0])).toSorted()).toEqual([
      'PACKAGE_INVALID',
      'PACKAGE_INVALID',
      'published',
    ]);
    await deleteVersion(new Table(), repository, 'left-pad', '1.0.0');
    expect(await publishing(repository, '6.0.0', 700 - each)).toBe('published');
  });
});

describe('Changes of one version', () => {
  const change = async (repository: LocalRepository, parts: readonly string[]): Promise<void> =>
    changeVersion(
      new Table(),
      { repository, quota: {}, ref: { contentId: contentIdOf(repository), name: 'left-pad' }, version: '1.0.0' },
      () => parts,
      () => ({}),
    );

  it('are counted by what they leave, and refused where the index has no room', async () => {
    const repository = await newRepository();
    const ref = refOf(repository, {});
    await publish(new Table(), publicationOf(repository, { parts: entry(50) }));
    await change(repository, entry(80));
    await change(repository, entry(20));
    const usage = await readUsageAndEntries(new Table(), repository.workspaceId);
    expect([(await headOf(ref))?.entryBytes, usage.entryBytes]).toEqual([20 + ofEach, 20 + ofEach]);
    await leaveRoom(ref, 10);
    expect(await outcomeOf(change(repository, entry(31)))).toMatch(/^PACKAGE_INVALID The index has/);
    expect(await outcomeOf(change(repository, entry(30)))).toBe('published');
  });

  it('are merged after 64 of them, because every reader reads them', async () => {
    const repository = await newRepository();
    const ref = refOf(repository, {});
    await publish(new Table(), publicationOf(repository, { parts: entry(1) }));
    for (let round = 2; round <= 200; round += 1) await change(repository, entry(round));
    const found = await readIndex(new Table(), ref);
    expect(found?.changes.length).toBeLessThanOrEqual(130);
    const entries = found && (await entriesOf(new Table(), found));
    expect(entries?.get('1.0.0')?.parts).toEqual(entry(200));
  });
});
