import { ApiError } from '../../../../shared/errors.ts';
import type { PackagePublication } from '../../../../shared/packages/changes/publication.ts';
import { publish } from '../../../../shared/packages/changes/publish-to.ts';
import { loadIndex } from '../../../../shared/packages/index/package-index.ts';
import { blobObjectKey } from '../../../../shared/store/keys.ts';
import { readObject } from '../../../../shared/store/objects.ts';
import { fileInMemory } from '../../../../shared/store/received-file.ts';
import { Table } from '../../../../shared/table/client.ts';
import { blobKey } from '../../../../shared/table/keys.ts';
import { fileKey } from '../../../../shared/table/packages/package-keys.ts';
import { readUsage } from '../../../../shared/table/packages/usage.ts';
import { contentIdOf, type LocalRepository } from '../../../../shared/table/repositories/repositories.ts';
import { publicationOf, storedRepository } from '../../../harness/packages.ts';
import { useService } from '../../../harness/service.ts';

const service = useService({ callsAs: 'packages/publish-package' });

const newRepository = async (): Promise<LocalRepository> => {
  const workspace = await service.world.workspace();
  const { id } = await service.world.repository(workspace);
  return storedRepository(workspace.id, id);
};

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'published',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

const indexOf = async (repository: LocalRepository, name = 'left-pad') =>
  loadIndex(new Table(), { contentId: contentIdOf(repository), name });

const filesOf = (name: string): PackagePublication['files'] => [
  { name, mediaType: 'application/octet-stream', received: fileInMemory(Buffer.from(name)) },
];

const parts = (version: string): readonly string[] => [`{"version":"${version}"}`, 'brief'];

describe('A publication', () => {
  it('stores the bytes once, and finds them by the path of the file', async () => {
    const repository = await newRepository();
    const content = 'the bytes';
    await publish(new Table(), publicationOf(repository, { content, parts: parts('1.0.0'), tags: ['latest'] }));
    const key = fileKey({ contentId: contentIdOf(repository), name: 'left-pad' }, '1.0.0', 'left-pad.tgz');
    const file = (await new Table().read([key])).find(key);
    expect(file).toMatchObject({ size: 9, version: '1.0.0', origin: { kind: 'published' } });
    if (!file) throw new Error('There is no file.');
    const bytes = await readObject(blobObjectKey(file.blob), new Table().signal);
    expect(bytes?.toString()).toBe(content);
    const index = await indexOf(repository);
    expect(index?.tags).toEqual({ latest: '1.0.0' });
    expect([...(index?.entries.values() ?? [])]).toMatchObject([
      { version: '1.0.0', revision: 1, parts: parts('1.0.0') },
    ]);
    expect(await readUsage(new Table(), contentIdOf(repository))).toEqual({ bytes: 9, files: 1, packages: 1 });
    expect(await readUsage(new Table(), repository.workspaceId)).toEqual({ bytes: 9, files: 1, packages: 1 });
  });

  it('is refused for a version that is there, and changes nothing', async () => {
    const repository = await newRepository();
    await publish(new Table(), publicationOf(repository, { parts: parts('1.0.0') }));
    const again = publish(new Table(), publicationOf(repository, { parts: parts('1.0.0') }));
    expect(await codeOf(again)).toBe('VERSION_EXISTS');
    expect(await readUsage(new Table(), contentIdOf(repository))).toMatchObject({ files: 1, packages: 1 });
  });

  it('loses none of 50 versions that are published at once, and counts each once', async () => {
    const repository = await newRepository();
    const versions = Array.from({ length: 50 }, (_, index) => `1.0.${index}`);
    service.proxy.conflictsLikeDynamoDb = true;
    const codes = await Promise.all(
      versions.map((version) =>
        codeOf(publish(new Table(20_000), publicationOf(repository, { version, parts: parts(version) }))),
      ),
    );
    expect(codes.filter((code) => code !== 'published')).toEqual([]);
    const index = await indexOf(repository);
    expect([...(index?.entries.keys() ?? [])].toSorted()).toEqual(versions.toSorted());
    expect(index?.head).toMatchObject({ versionCount: 50, revision: 50 });
    expect(await readUsage(new Table(), contentIdOf(repository))).toMatchObject({ files: 50, packages: 1 });
  });

  it('adds to the entry of a version that exists, and loses nothing of eight files that come at once', async () => {
    const repository = await newRepository();
    const fileOf = (name: string) =>
      publicationOf(repository, {
        files: filesOf(name),
        parts: [name],
        addedParts: (before) => [...before, name],
        isOpen: true,
      });
    const names = Array.from({ length: 8 }, (_, index) => `left-pad-${index}.tgz`);
    const codes = await Promise.all(names.map((name) => codeOf(publish(new Table(20_000), fileOf(name)))));
    expect(codes.filter((code) => code !== 'published')).toEqual([]);
    const entry = (await indexOf(repository))?.entries.get('1.0.0');
    expect([entry?.revision, entry?.parts.toSorted()]).toEqual([8, names.toSorted()]);
    expect(await readUsage(new Table(), contentIdOf(repository))).toMatchObject({ files: 8, packages: 1 });
  });

  it('that adds a file leaves the entry of the version as it is, unless it says what to add', async () => {
    const repository = await newRepository();
    await publish(new Table(), publicationOf(repository, { parts: ['first'] }));
    await publish(
      new Table(),
      publicationOf(repository, { files: filesOf('second.tgz'), parts: ['second'], isOpen: true }),
    );
    expect((await indexOf(repository))?.entries.get('1.0.0')).toMatchObject({ revision: 1, parts: ['first'] });
  });

  it('of one version from 50 sides succeeds once', async () => {
    const repository = await newRepository();
    const codes = await Promise.all(
      Array.from({ length: 50 }, () =>
        codeOf(publish(new Table(20_000), publicationOf(repository, { parts: parts('1.0.0') }))),
      ),
    );
    expect(codes.filter((code) => code === 'published')).toHaveLength(1);
    expect(codes.filter((code) => code === 'VERSION_EXISTS')).toHaveLength(49);
    expect(await readUsage(new Table(), contentIdOf(repository))).toMatchObject({ files: 1, packages: 1 });
  });

  it('shares the bytes of files that are the same', async () => {
    const repository = await newRepository();
    const content = 'shared bytes';
    const one = publicationOf(repository, { content, version: '1.0.0' });
    const { files } = await publish(new Table(), one);
    await publish(new Table(), publicationOf(repository, { content, version: '2.0.0' }));
    const sha256 = files[0]?.blob?.sha256 ?? '';
    const key = blobKey(repository.workspaceId, sha256);
    expect((await new Table().read([key])).find(key)).toMatchObject({ references: 2, state: 'live' });
  });

  it('keeps the index whole through compactions', async () => {
    const repository = await newRepository();
    for (let patch = 0; patch < 150; patch += 1)
      await publish(new Table(), publicationOf(repository, { version: `1.0.${patch}`, parts: parts(`1.0.${patch}`) }));
    const index = await indexOf(repository);
    expect(index?.entries.size).toBe(150);
    expect(index?.head.snapshot).toMatchObject({ revision: expect.any(Number) });
  }, 60_000);

  it('beyond a limit of the workspace is refused with the figures', async () => {
    const repository = await newRepository();
    const refused = publish(new Table(), publicationOf(repository, { content: '12345', quota: { storageLimit: 4 } }));
    await expect(refused).rejects.toThrow(/0 of 4 bytes are used, and 5 more/);
    await publish(
      new Table(),
      publicationOf(repository, { content: '1234', quota: { storageLimit: 4, packageLimit: 1 } }),
    );
    const second = publicationOf(repository, { name: 'other', displayName: 'other', quota: { packageLimit: 1 } });
    expect(await codeOf(publish(new Table(), second))).toBe('QUOTA_EXCEEDED');
  });
});
