import { ApiError } from '../../../../shared/errors.ts';
import { emptyRepository } from '../../../../shared/packages/changes/content-removal.ts';
import { publish } from '../../../../shared/packages/changes/publish-to.ts';
import { moveTagItem, removeTagItem } from '../../../../shared/packages/changes/tag-items.ts';
import { changeVersion, removeTag, setTag } from '../../../../shared/packages/changes/version-changes.ts';
import { Table } from '../../../../shared/table/client.ts';
import type { PackageRef } from '../../../../shared/table/packages/package-keys.ts';
import {
  contentIdOf,
  type LocalRepository,
  removeRepository,
} from '../../../../shared/table/repositories/repositories.ts';
import { publicationOf, storedRepository } from '../../../harness/packages.ts';
import { useService } from '../../../harness/service.ts';

const service = useService({ callsAs: 'packages/publish-package' });

/** A repository with a package, as it was read before another request emptied or deleted it. */
interface Read {
  readonly repository: LocalRepository;
  readonly ref: PackageRef;
}

const read = async (): Promise<Read> => {
  const workspace = await service.world.workspace();
  const repository = await storedRepository(workspace.id, (await service.world.repository(workspace)).id);
  await publish(new Table(), publicationOf(repository, { parts: ['before'], tags: ['latest'], tagItems: ['stable'] }));
  return { repository, ref: { contentId: contentIdOf(repository), name: 'left-pad' } };
};

const version = '1.0.0';
const tagged = { version, revision: 1, updatedAt: '' };

/** What a change of a package answers if its repository was emptied since it was read. */
const changes: readonly (readonly [what: string, code: string, change: (read: Read) => Promise<unknown>])[] = [
  [
    'a tag that is set',
    'VERSION_NOT_FOUND',
    ({ repository, ref }) => setTag(new Table(), repository, ref, 'next', version),
  ],
  [
    'a tag that is removed',
    'PACKAGE_NOT_FOUND',
    ({ repository, ref }) => removeTag(new Table(), repository, ref, 'latest'),
  ],
  [
    'a tag of an image that is moved',
    'SERVICE_UNAVAILABLE',
    ({ repository, ref }) => moveTagItem(new Table(), repository, ref, 'stable', tagged),
  ],
  [
    'a tag of an image that is removed',
    'VERSION_NOT_FOUND',
    ({ repository, ref }) => removeTagItem(new Table(), repository, ref, 'stable', tagged),
  ],
  [
    'an entry of a version',
    'VERSION_NOT_FOUND',
    ({ repository, ref }) =>
      changeVersion(
        new Table(),
        { repository, quota: {}, ref, version },
        () => ['after'],
        () => ({}),
      ),
  ],
];

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'changed',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

describe('A change of a package whose repository', () => {
  it.each(changes)('was emptied meanwhile finds the repository, and not its content: %s', async (_, code, change) => {
    const before = await read();
    await emptyRepository(new Table(), before.repository);
    expect(await codeOf(change(before))).toBe(code);
  });

  it.each(changes)('was deleted meanwhile does not find it: %s', async (_, __, change) => {
    const before = await read();
    await removeRepository(new Table(), before.repository);
    expect(await codeOf(change(before))).toBe('REPOSITORY_NOT_FOUND');
  });
});
