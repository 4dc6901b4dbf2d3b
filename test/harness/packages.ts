import { randomUUID } from 'node:crypto';
import { getUniversalFile, publishUniversalFile } from '../../functions/universal/contracts.ts';
import type { PackagePublication } from '../../shared/packages/changes/publication.ts';
import { publish } from '../../shared/packages/changes/publish-to.ts';
import { type IndexListing, indexRef } from '../../shared/packages/index/index-listing.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { Table } from '../../shared/table/client.ts';
import { repositoryKey } from '../../shared/table/keys.ts';
import type { IndexName } from '../../shared/table/packages/package-index.ts';
import { type IndexRef, indexHeadKey } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import type { Answer } from './client.ts';
import { whenAvailable } from './retry.ts';
import type { Service } from './service.ts';
import { type Actor, type Named, uniqueName } from './world.ts';

/** A workspace with a universal repository, and files in it. */
export interface PackageWorld {
  readonly workspace: Named;
  readonly admin: Actor;
  readonly repository: Named;
  /** The parameters of a path, for the repository unless another one is given. */
  readonly params: <P extends object>(others: P) => P & { readonly workspace: string; readonly repository: string };
  /** Publishes a file by the path of package, version and file, and expects that it succeeds unless `attempt` is used. */
  readonly publish: (path: string, content?: string, repository?: Named) => Promise<Answer>;
  readonly attempt: (path: string, content?: string, repository?: Named) => Promise<Answer>;
  /** The status that a download answers. */
  readonly statusOf: (path: string, repository?: Named) => Promise<number>;
}

/** Makes that world before the tests of a file. */
export const usePackageWorld = (service: Service): PackageWorld => {
  // Empty until the service has started.
  const world: Partial<PackageWorld> = {};
  beforeAll(async () => {
    const workspace = await service.world.workspace();
    const admin = await service.world.systemAdmin();
    const repository = await service.world.repository(workspace, uniqueName('files'), 'universal');
    const attempt: PackageWorld['attempt'] = (path, content = uniqueName(), target = repository) =>
      service.client.attempt(publishUniversalFile, {
        params: { workspace: workspace.id, repository: target.id, path },
        bytes: { content, mediaType: 'application/octet-stream' },
        as: admin.bearer,
      });
    Object.assign(world, {
      workspace,
      admin,
      repository,
      params: <P extends object>(others: P) => ({ workspace: workspace.id, repository: repository.id, ...others }),
      attempt,
      publish: async (...file: Parameters<typeof attempt>) => {
        const answer = await whenAvailable(() => attempt(...file));
        if (answer.status !== 201) throw new Error(`${file[0]} was not published: ${answer.text}`);
        return answer;
      },
      statusOf: async (path: string, target = repository) => {
        const params = { workspace: workspace.id, repository: target.id, path };
        return (await service.client.attempt(getUniversalFile, { params, as: admin.bearer })).status;
      },
    } satisfies PackageWorld);
  });
  return world as PackageWorld;
};

/** A local repository as the table has it. */
export const storedRepository = async (workspaceId: string, repositoryId: string): Promise<LocalRepository> => {
  const key = repositoryKey(workspaceId, repositoryId);
  const repository = (await new Table().read([key])).find(key);
  if (repository?.repositoryType !== 'local') throw new Error(`There is no local repository ${repositoryId}.`);
  return repository;
};

/** The fields of a publication that a test cares about. With `parts`, its version has an entry in one index. */
export type PublicationFields = Partial<PackagePublication & IndexListing> & { readonly content?: string };

/** A publication with the fields that a test does not care about. */
export const publicationOf = (repository: LocalRepository, fields: PublicationFields = {}): PackagePublication => {
  const { content = randomUUID(), parts, addedParts, index = 'package', ...others } = fields;
  const listing = { index, parts: parts ?? [], ...(addedParts && { addedParts }) };
  const received = fileInMemory(Buffer.from(content));
  return {
    repository,
    quota: {},
    name: 'left-pad',
    displayName: 'left-pad',
    version: '1.0.0',
    files: [{ name: 'left-pad.tgz', mediaType: 'application/octet-stream', received }],
    origin: { kind: 'published', by: { kind: 'user', userId: randomUUID(), username: 'robin', tokenId: null } },
    ...((parts || addedParts) && { indexes: [listing] }),
    ...others,
  };
};

/** The index entry of a version of an npm package. */
const npmParts = (name: string, version: string): string[] => {
  const text = JSON.stringify({ name, version, dist: {} }).slice(0, -'}}'.length);
  return [`${text}"tarball":"{tarball}"}}`, `${text}"tarball":"{tarball}"}}`, new Date().toISOString()];
};

/** Publishes many versions of a package, of npm unless their entries are given, all with the same bytes, through the store itself: over HTTP they would take most of a test. */
export const publishVersions = async (
  workspace: Named,
  { id }: Pick<Named, 'id'>,
  name: string,
  count: number,
  from = 0,
  partsOf = npmParts,
  index: IndexName = 'package',
): Promise<void> => {
  const repository = await storedRepository(workspace.id, id);
  for (let patch = from; patch < from + count; patch += 1) {
    const version = `1.0.${patch}`;
    const parts = partsOf(name, version);
    await publish(
      new Table(),
      publicationOf(repository, {
        name,
        displayName: name,
        version,
        content: name,
        parts,
        tags: ['latest'],
        index,
      }),
    );
  }
};

/** Makes an index due for compaction, as if it had had this many changes more: the next one writes a snapshot. */
export const ageIndex = async (ref: IndexRef): Promise<void> => {
  await new Table().writeUnrecorded([
    { update: indexHeadKey(ref), set: 'ADD #revision :changes', values: { ':changes': 64 } },
  ]);
};

/** Publishes versions until the index has a snapshot and is due for the next one, whose compaction reads and tidies most. */
export const publishUntilDue = async (
  workspace: Named,
  { id }: Pick<Named, 'id'>,
  name: string,
  partsOf?: (name: string, version: string) => string[],
  index: IndexName = 'package',
): Promise<void> => {
  const contentId = contentIdOf(await storedRepository(workspace.id, id));
  for (const patch of [0, 1]) {
    await publishVersions(workspace, { id }, name, 1, patch, partsOf, index);
    await ageIndex(indexRef({ contentId, name }, index));
  }
};
