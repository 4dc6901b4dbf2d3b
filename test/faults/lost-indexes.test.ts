import { deletePackage } from '../../functions/packages/contracts.ts';
import { publish } from '../../shared/packages/changes/publish-to.ts';
import { changeVersion } from '../../shared/packages/changes/version-changes.ts';
import { packParts, readIndex } from '../../shared/packages/index/package-index.ts';
import { blobObjectKey } from '../../shared/store/keys.ts';
import { Table } from '../../shared/table/client.ts';
import { keyIn } from '../../shared/table/keys.ts';
import { type IndexRef, indexChangeKey, mergedChangesList } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { loseObjects } from '../harness/object-store.ts';
import { ageIndex, publicationOf, storedRepository } from '../harness/packages.ts';
import { oneOfEach } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';

jest.setTimeout(120_000);

const service = useService();
let repository: LocalRepository;
let ref: IndexRef & { readonly name: string };
beforeEach(async () => {
  const workspace = await service.world.workspace();
  const { id } = await service.world.repository(workspace);
  repository = await storedRepository(workspace.id, id);
  ref = { contentId: contentIdOf(repository), name: uniqueName('package') };
});

const partsOf = (version: string): string[] => [`entry of ${version}`];

const named = () => ({ name: ref.name, displayName: ref.name });

/** Publishes versions 1.0.0 to the last one, all with the same bytes. */
const publishMany = async (count: number, index: 'package' | 'repository' = 'package'): Promise<void> => {
  for (let patch = 0; patch < count; patch += 1) {
    const version = `1.0.${patch}`;
    const fields = { ...named(), version, content: ref.name, parts: partsOf(version), index };
    await publish(new Table(), publicationOf(repository, fields));
  }
};

const loseSnapshot = async (of: IndexRef): Promise<void> => {
  const snapshot = (await readIndex(new Table(), of))?.head.snapshot;
  if (!snapshot) throw new Error('The index has no snapshot.');
  await loseObjects(service, [blobObjectKey(snapshot)]);
};

/** What a process reads that has not read the snapshot before: the entries, removed ones included. */
const readAnew = async (of: IndexRef): Promise<Record<string, readonly string[] | 'removed'>> => {
  let found: Record<string, readonly string[] | 'removed'> = {};
  await jest.isolateModulesAsync(async () => {
    const { entriesOf, readIndex: read } = await import('../../shared/packages/index/package-index.ts');
    const index = await read(new Table(), of);
    const entries = index ? await entriesOf(new Table(), index) : [];
    found = Object.fromEntries(
      Array.from(entries, ([version, { parts, isRemoved }]) => [version, isRemoved ? 'removed' : parts]),
    );
  });
  return found;
};

const compactAnew = async (): Promise<void> =>
  jest.isolateModulesAsync(async () => {
    const { compactIndex } = await import('../../shared/packages/index/compaction.ts');
    await compactIndex(new Table(), repository.workspaceId, ref);
  });

/** Changes the entry of a version. */
const changeEntry = async (version: string, text: string): Promise<void> =>
  changeVersion(
    new Table(),
    { repository, quota: {}, ref, version },
    () => [text],
    () => ({}),
  );

/** Changes the entry of a version so many times, with a snapshot each time. */
const changeOften = async (version: string, times: number): Promise<void> => {
  for (let time = 1; time <= times; time += 1) {
    await ageIndex(ref);
    await changeEntry(version, `${version}, changed ${time} times`);
  }
};

/** Drops the changes that snapshots contain, which earlier releases did not keep. */
const dropMerged = async (of: IndexRef): Promise<number> => {
  const { items } = await new Table().query(mergedChangesList(of));
  for (const { position } of items)
    await new Table().writeUnrecorded([{ remove: keyIn(mergedChangesList(of), position) }]);
  return items.length;
};

const versionsUpTo = (count: number): Record<string, readonly string[]> =>
  Object.fromEntries(Array.from({ length: count }, (_, patch) => [`1.0.${patch}`, partsOf(`1.0.${patch}`)]));

/** The error of another instance of the modules. */
const isContentLost = expect.objectContaining({ code: 'CONTENT_LOST' }) as Error;

describe('An index whose snapshot the store has lost', () => {
  it.each(oneOfEach([[70, 140, 210]], process.env.ALL_LOSSES !== undefined))(
    'is rebuilt from the table: %d versions',
    async (count) => {
      await publishMany(count);
      await loseSnapshot(ref);
      expect(await readAnew(ref)).toEqual(versionsUpTo(count));
    },
  );

  it('is whole again after the next compaction', async () => {
    await publishMany(150);
    await loseSnapshot(ref);
    await ageIndex(ref);
    const lost = (await readIndex(new Table(), ref))?.head.snapshot;
    await compactAnew();
    expect((await readIndex(new Table(), ref))?.head.snapshot).not.toEqual(lost);
    await dropMerged(ref);
    expect(await readAnew(ref)).toEqual(versionsUpTo(150));
  });

  it('is an error and never a part of it, if the table has not all of its entries', async () => {
    await publishMany(140);
    expect(await dropMerged(ref)).toBeGreaterThan(0);
    await loseSnapshot(ref);
    await expect(readAnew(ref)).rejects.toEqual(isContentLost);
    await publish(new Table(), publicationOf(repository, { ...named(), version: '2.0.0', parts: partsOf('2.0.0') }));
    await expect(readAnew(ref)).rejects.toEqual(isContentLost);
  });

  it('is found by its name, and whole although the version changed in another index', async () => {
    const { contentId } = ref;
    const index = 'plugins:org.acme';
    const parts = ['', 'acme'];
    const listed = (version: string) =>
      publicationOf(repository, {
        ...named(),
        version,
        indexes: [
          { index: 'package', parts: partsOf(version), addedParts: partsOf.bind(null, version) },
          { index, parts },
        ],
      });
    for (let patch = 0; patch < 65; patch += 1) await publish(new Table(), listed(`1.0.${patch}`));
    await publish(new Table(), { ...listed('1.0.7'), files: [], isOpen: true });
    await loseSnapshot({ contentId, index });
    const found = await readAnew({ contentId, index });
    expect(Object.keys(found)).toHaveLength(65);
    expect(found[`${ref.name} 1.0.7`]).toEqual(parts);
  });

  it('of a whole repository still knows which names it ever held', async () => {
    const { contentId } = ref;
    const gone = ref.name;
    await publishMany(1, 'repository');
    const { bearer } = await service.world.systemAdmin();
    const params = { workspace: repository.workspaceId, repository: repository.repositoryId, package: gone };
    await service.client.succeed(deletePackage, { params, as: bearer });
    ref = { contentId, name: uniqueName('package') };
    await publishMany(70, 'repository');
    await loseSnapshot({ contentId });
    const found = await readAnew({ contentId });
    expect(found[`${gone} 1.0.0`]).toBe('removed');
    expect(Object.keys(found)).toHaveLength(71);
    expect(found[`${ref.name} 1.0.69`]).toEqual(partsOf('1.0.69'));
  });

  it('needs one item for each version, however often that was changed', async () => {
    await publishMany(3);
    for (const text of ['first', 'second', 'third']) await changeEntry('1.0.2', text);
    await changeOften('1.0.1', 6);
    expect((await new Table().query(mergedChangesList(ref))).items).toHaveLength(3);
    await loseSnapshot(ref);
    expect(await readAnew(ref)).toEqual({
      ...versionsUpTo(3),
      '1.0.1': ['1.0.1, changed 6 times'],
      '1.0.2': ['third'],
    });
  });

  it('does not go back to a change that a compaction, broken off, left behind', async () => {
    await publishMany(2);
    const left = (await readIndex(new Table(), ref))?.changes.find(({ change }) => change.version === '1.0.1');
    if (!left) throw new Error('The index has no change of 1.0.1.');
    await changeOften('1.0.1', 4);
    await changeOften('1.0.0', 2);
    await new Table().writeUnrecorded([{ put: { ...left.change, ...indexChangeKey(ref, left.changeId) } }]);
    await changeOften('1.0.0', 2);
    const pending = (await readIndex(new Table(), ref))?.changes.map(({ change }) => change.version);
    expect(pending).toEqual(['1.0.0']);
    await loseSnapshot(ref);
    expect(await readAnew(ref)).toEqual({
      '1.0.0': ['1.0.0, changed 2 times'],
      '1.0.1': ['1.0.1, changed 4 times'],
    });
  });

  it('is rebuilt from what earlier releases kept: each change under its own ID', async () => {
    await publishMany(2);
    await changeOften('1.0.1', 3);
    const list = mergedChangesList(ref);
    const { items } = await new Table().query(list);
    for (const [at, { position, item }] of items.entries())
      await new Table().writeUnrecorded([
        { put: { ...item, ...keyIn(list, `0mh1x2y3z${at}`) } },
        { put: { ...item, ...keyIn(list, `0mh1x2y2z${at}`), revision: 0, parts: packParts(['of before']) } },
        { remove: keyIn(list, position) },
      ]);
    await loseSnapshot(ref);
    expect(await readAnew(ref)).toEqual({ '1.0.0': partsOf('1.0.0'), '1.0.1': ['1.0.1, changed 3 times'] });
  });
});
