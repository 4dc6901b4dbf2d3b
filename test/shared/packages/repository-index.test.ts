import { emptyRepository } from '../../../shared/packages/changes/content-removal.ts';
import { deletePackage, deleteVersion } from '../../../shared/packages/changes/deletion.ts';
import type { PackagePublication } from '../../../shared/packages/changes/publication.ts';
import { publish } from '../../../shared/packages/changes/publish-to.ts';
import { entriesOf, readIndex } from '../../../shared/packages/index/package-index.ts';
import { fileInMemory } from '../../../shared/store/received-file.ts';
import { Table } from '../../../shared/table/client.ts';
import { contentIdOf, type LocalRepository } from '../../../shared/table/repositories/repositories.ts';
import { passADay } from '../../harness/due-blobs.ts';
import { type PublicationFields, publicationOf, storedRepository } from '../../harness/packages.ts';
import { useService } from '../../harness/service.ts';
import { brokenContent, remains } from '../../harness/stored-packages.ts';
import type { Named } from '../../harness/world.ts';

jest.setTimeout(60_000);

const service = useService({ callsAs: 'packages/publish-package' });
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const newRepository = async (): Promise<LocalRepository> => {
  const { id } = await service.world.repository(workspace);
  return storedRepository(workspace.id, id);
};

const publication = (repository: LocalRepository, name: string, fields: PublicationFields = {}) =>
  publicationOf(repository, {
    name,
    displayName: name,
    content: 'the same bytes',
    parts: [`entry of ${name}`],
    index: 'repository',
    ...fields,
  });

const fileOf = (name: string): PackagePublication['files'] => {
  const received = fileInMemory(Buffer.from(name));
  return [{ name, mediaType: 'application/octet-stream', received }];
};

const indexOf = async (repository: LocalRepository) => readIndex(new Table(), { contentId: contentIdOf(repository) });

/** The versions in the index, and the removed ones that it still knows. */
const entriesIn = async (repository: LocalRepository) => {
  const found = await indexOf(repository);
  const entries = found ? [...(await entriesOf(new Table(), found)).values()] : [];
  const [live, removed] = [entries.filter((each) => !each.isRemoved), entries.filter((each) => each.isRemoved)];
  return { live: live.map(({ version }) => version), removed: removed.map(({ version }) => version) };
};

const sweep = async (): Promise<boolean> => service.runner.runScheduled('sweeper');

describe('The index of a repository', () => {
  it('has every one of 50 packages that are published at once, and counts each change once', async () => {
    const repository = await newRepository();
    const names = Array.from({ length: 50 }, (_, index) => `package-${index}`);
    service.proxy.conflictsLikeDynamoDb = true;
    await Promise.all(names.map(async (name) => publish(new Table(20_000), publication(repository, name))));
    service.proxy.conflictsLikeDynamoDb = false;
    expect((await entriesIn(repository)).live.toSorted()).toEqual(names.map((name) => `${name} 1.0.0`).toSorted());
    expect((await indexOf(repository))?.head.revision).toBe(50);
    expect(await brokenContent(service)).toEqual([]);
  });

  it('stays whole through compactions, and leaves nothing when its repository is emptied', async () => {
    const repository = await newRepository();
    for (let index = 0; index < 70; index += 1)
      await publish(new Table(), publication(repository, `package-${index % 9}`, { version: `1.0.${index}` }));
    expect((await entriesIn(repository)).live).toHaveLength(70);
    expect((await indexOf(repository))?.head.snapshot?.revision).toBeGreaterThanOrEqual(64);
    expect(await brokenContent(service)).toEqual([]);
    // It begins anew when the repository is emptied, and the sweeper removes it with its snapshot.
    await emptyRepository(new Table(), repository);
    const emptied = await storedRepository(workspace.id, repository.repositoryId);
    expect(await indexOf(emptied)).toBeUndefined();
    const isLeft = async () => (await remains(service)).some((key) => key.includes(contentIdOf(repository)));
    expect(await isLeft()).toBe(true);
    expect(await sweep()).toBe(true);
    expect(await isLeft()).toBe(false);
    await passADay();
    expect(await sweep()).toBe(true);
    expect(await brokenContent(service)).toEqual([]);
  });

  it('loses what is deleted, a version or a package, and still knows the names', async () => {
    const repository = await newRepository();
    for (const version of ['1.0.0', '1.1.0'])
      for (const name of ['one', 'other']) await publish(new Table(), publication(repository, name, { version }));
    await deleteVersion(new Table(), repository, 'one', '1.0.0');
    expect(await entriesIn(repository)).toEqual({
      live: ['other 1.0.0', 'one 1.1.0', 'other 1.1.0'],
      removed: ['one 1.0.0'],
    });
    await deletePackage(new Table(), repository, 'other');
    const { live, removed } = await entriesIn(repository);
    expect([live, removed.toSorted()]).toEqual([['one 1.1.0'], ['one 1.0.0', 'other 1.0.0', 'other 1.1.0']]);
    expect(await brokenContent(service)).toEqual([]);
    await publish(new Table(), publication(repository, 'one'));
    expect((await entriesIn(repository)).live.toSorted()).toEqual(['one 1.0.0', 'one 1.1.0']);
    // Each change is seen by whoever compares revisions: five publications and two deletions, each one transaction.
    expect((await indexOf(repository))?.head.revision).toBe(7);
  });

  it('changes its entry when a file adds to it, and not when a file is only added', async () => {
    const repository = await newRepository();
    await publish(new Table(), publication(repository, 'one'));
    await publish(new Table(), publication(repository, 'one', { files: fileOf('signature'), isOpen: true }));
    expect((await indexOf(repository))?.head.revision).toBe(1);
    const addedParts = (before: readonly string[]) => [...before, 'added'];
    await publish(new Table(), publication(repository, 'one', { files: fileOf('more'), isOpen: true, addedParts }));
    const found = await indexOf(repository);
    expect(found && (await entriesOf(new Table(), found)).get('one 1.0.0')?.parts).toEqual(['entry of one', 'added']);
    expect(await brokenContent(service)).toEqual([]);
  });
});

describe('An addition', () => {
  it('is refused where there is no such version, also after its deletion, and creates none', async () => {
    const repository = await newRepository();
    const addition = publication(repository, 'one', { files: fileOf('signature'), isOpen: true, isAddition: true });
    await expect(publish(new Table(), addition)).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
    await publish(new Table(), publication(repository, 'one'));
    await publish(new Table(), addition);
    await deleteVersion(new Table(), repository, 'one', '1.0.0');
    await expect(publish(new Table(), addition)).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
    expect(await brokenContent(service)).toEqual([]);
  });
});
