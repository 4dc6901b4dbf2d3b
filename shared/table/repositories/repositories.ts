import { randomInt } from 'node:crypto';
import type { PackageType } from '../../package-types.ts';
import type { Change, Fields } from '../changes.ts';
import type { Table } from '../client.ts';
import { type Remember, rememberNothing } from '../creations.ts';
import { leaveGrants } from '../identity/grant-sweeps.ts';
import { countRepositories } from '../identity/repository-count.ts';
import type { Workspace } from '../identity/workspaces.ts';
import { repositoryKey, repositoryNameKey, usageList } from '../keys.ts';
import { usageEnded } from '../packages/usage.ts';
import { leaveContent } from '../queues/content-sweeps.ts';
import { foundBy, insertion, type Refusal, type Update, type Write } from '../writes.ts';
import type { ReleaseGate } from './release-gate.ts';

interface Common {
  readonly repositoryId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly packageType: PackageType;
  /** The shard of the workspace's repository count that counts this repository; release 0.1.0 stored it under this name. */
  readonly countShare: number;
  /** The IDs of the virtual repositories that list this one. */
  readonly listedBy?: ReadonlySet<string>;
  /** Names the content, once the repository was emptied; before, its own ID does. */
  readonly contentId?: string;
  /** What a local repository was emptied of and the sweeper has not removed yet. Its names are still kept from upstreams. */
  readonly earlierContents?: ReadonlySet<string>;
  readonly createdAt: string;
  readonly createdBy: string;
}

export interface LocalRepository extends Common {
  readonly repositoryType: 'local';
}

/** The settings of the upstream of a remote repository. All of them can change. */
export interface UpstreamSettings {
  readonly remoteRepositoryUrl: string;
  readonly remoteRepositoryUsername: string | null;
  /** The password of the upstream, encrypted for this repository only, as base64. */
  readonly passwordCiphertext: string | null;
  readonly isRemoteCacheEnabled: boolean;
  /** Milliseconds, or null for ever. */
  readonly fileCacheTimeTillRevalidation: number | null;
  readonly metadataCacheTimeTillRevalidation: number | null;
  /** Absent or null: whatever the upstream has passes. */
  readonly releaseGate?: ReleaseGate | null;
}

export interface RemoteRepository extends Common, UpstreamSettings {
  readonly repositoryType: 'remote';
}

/** A repository that a virtual one lists. Its name never changes, so it is stored with the ID. */
export interface Child {
  readonly id: string;
  readonly name: string;
}

export interface VirtualRepository extends Common {
  readonly repositoryType: 'virtual';
  /** In the order of resolution. */
  readonly children: readonly Child[];
  readonly uploadLocalRepositoryId: string | null;
  /** Names, or prefixes that end in `*`: merged although a local child holds them; never asked upstream. */
  readonly upstreamNames?: { readonly allow: readonly string[]; readonly block: readonly string[] };
}

/** A repository as stored. */
export type Repository = LocalRepository | RemoteRepository | VirtualRepository;

/** What the items of a repository's content are found by. */
export const contentIdOf = ({ contentId, repositoryId }: Pick<Common, 'contentId' | 'repositoryId'>): string =>
  contentId ?? repositoryId;

type Made = Pick<Common, 'workspaceId' | 'countShare' | 'createdAt'>;
type WithoutMade<R> = R extends Repository ? Omit<R, keyof Made | 'listedBy'> : never;

/** The fields of a new repository. */
export type NewRepository = WithoutMade<Repository>;

/** The fields of a repository that a record has: of the password of its upstream, only whether there is one. */
export const recordedFields = (repository: Repository): Fields => {
  const { name, packageType, repositoryType, createdAt, createdBy } = repository;
  const common = { name, packageType, repositoryType, createdAt, createdBy };
  if (repositoryType === 'local') return common;
  if (repositoryType === 'virtual') {
    const { children, uploadLocalRepositoryId, upstreamNames } = repository;
    return {
      ...common,
      childRepositories: children.map(({ id, name: child }) => ({ id, name: child })),
      uploadLocalRepositoryId,
      // The table does not keep the order of fields, in which records are compared.
      upstreamNames: upstreamNames && { allow: upstreamNames.allow, block: upstreamNames.block },
    };
  }
  return {
    ...common,
    remoteRepositoryUrl: repository.remoteRepositoryUrl,
    remoteRepositoryUsername: repository.remoteRepositoryUsername,
    hasRemoteRepositoryPassword: repository.passwordCiphertext !== null,
    isRemoteCacheEnabled: repository.isRemoteCacheEnabled,
    fileCacheTimeTillRevalidation: repository.fileCacheTimeTillRevalidation,
    metadataCacheTimeTillRevalidation: repository.metadataCacheTimeTillRevalidation,
    ...(repository.releaseGate && { releaseGate: repository.releaseGate }),
  };
};

/** A change of a repository. */
export const repositoryChange = (
  action: Change['action'],
  { workspaceId, repositoryId, name }: Pick<Repository, 'workspaceId' | 'repositoryId' | 'name'>,
  fields: Pick<Change, 'before' | 'after'>,
): Change => ({
  action,
  workspaceId,
  repository: { repositoryId, name },
  target: { id: repositoryId, name },
  ...fields,
});

/**
 * The reason why a repository was not created. `children` shows by position which children did not meet their condition; `key taken` is
 * that of what `remember` writes.
 */
export interface NotCreated {
  readonly reason: 'name taken' | 'workspace gone' | 'children' | 'key taken';
  readonly children: Refusal;
}

/** Creates a repository, holds its name and counts it. A virtual repository is linked to its children. */
export const insertRepository = async <N extends NewRepository>(
  table: Table,
  workspace: Workspace,
  fields: N,
  remember: Remember = rememberNothing,
): Promise<{ readonly created: N & Made } | NotCreated> => {
  const { workspaceId } = workspace;
  const repository: N & Made = {
    ...fields,
    workspaceId,
    countShare: randomInt(workspace.countShares),
    createdAt: new Date().toISOString(),
  };
  const { repositoryId: id, name, packageType, repositoryType, countShare: shard } = repository;
  const writes: Write[] = [
    countRepositories(workspaceId, shard, 1),
    insertion(repositoryNameKey(workspaceId, name), { id, packageType, repositoryType }),
    { insert: { ...repositoryKey(workspaceId, id), ...repository } },
  ];
  const children = repository.repositoryType === 'virtual' ? repository.children.map(linkChild(repository)) : [];
  const after = recordedFields(repository);
  const change = repositoryChange('repository.created', repository, { before: null, after });
  const refusal = await table.write([...writes, ...children, ...remember(id)], change);
  if (!refusal) return { created: repository };
  const refused = refusal.slice(writes.length, writes.length + children.length);
  const other = refused.some((each) => each) ? 'children' : 'key taken';
  return { reason: refusal[0] ? 'workspace gone' : refusal[1] ? 'name taken' : other, children: refused };
};

/** Links a child to the virtual repository that lists it, if the child exists and has the right type. */
export const linkChild =
  ({ workspaceId, repositoryId, packageType, uploadLocalRepositoryId }: Omit<VirtualRepository, 'listedBy'>) =>
  ({ id }: Child): Update => {
    const isUploadTarget = id === uploadLocalRepositoryId;
    return {
      update: repositoryKey(workspaceId, id),
      set: 'ADD #listedBy :virtual',
      if: `#packageType = :packageType${isUploadTarget ? ' AND #repositoryType = :local' : ''}`,
      values: {
        ':virtual': new Set([repositoryId]),
        ':packageType': packageType,
        ...(isUploadTarget ? { ':local': 'local' } : {}),
      },
    };
  };

/** Removes that link, because the virtual repository no longer lists the child. */
export const unlinkChild =
  ({ workspaceId, repositoryId }: VirtualRepository) =>
  ({ id }: Child): Update => ({
    update: repositoryKey(workspaceId, id),
    set: 'DELETE #listedBy :virtual',
    if: 'attribute_exists(pk)',
    values: { ':virtual': new Set([repositoryId]) },
  });

/** The writes that leave the content of a repository to the sweeper, which keeps the names in it for `keeperId`. It no longer counts as usage. */
export const contentLeft = async (table: Table, repository: Repository, keeperId?: string): Promise<Write[]> => {
  const { workspaceId } = repository;
  const contentId = contentIdOf(repository);
  const usage = (await table.query(usageList(contentId))).items;
  return [leaveContent(contentId, workspaceId, keeperId), ...usageEnded(workspaceId, contentId, usage)];
};

/** Removes a repository that no virtual repository lists. Its name is free and its content out of reach at once. */
export const removeRepository = async (
  table: Table,
  repository: Repository,
): Promise<'removed' | 'gone' | 'changed' | { readonly listedBy: readonly string[] }> => {
  const { workspaceId, repositoryId, name, countShare: shard } = repository;
  const isVirtual = repository.repositoryType === 'virtual';
  const left = isVirtual
    ? [...repository.children.map(unlinkChild(repository)), leaveContent(contentIdOf(repository), workspaceId)]
    : await contentLeft(table, repository);
  const refusal = await table.write(
    [
      { remove: repositoryKey(workspaceId, repositoryId), ...unlistedAndSame(repository) },
      { remove: repositoryNameKey(workspaceId, name), if: '#id = :id', values: { ':id': repositoryId } },
      countRepositories(workspaceId, shard, -1),
      leaveGrants(workspaceId, repositoryId),
      ...left,
    ],
    repositoryChange('repository.deleted', repository, { before: recordedFields(repository), after: null }),
  );
  if (!refusal) return 'removed';
  const found = foundBy(repositoryKey(workspaceId, repositoryId), refusal);
  if (!found) return refusal[0] ? 'gone' : 'changed';
  return found.listedBy ? { listedBy: [...found.listedBy] } : 'changed';
};

/** Requires that no virtual repository lists it, and that its children or its content are still as they were read. */
const unlistedAndSame = (repository: Repository): Pick<Update, 'if' | 'values'> => {
  const unlisted = 'attribute_exists(pk) AND attribute_not_exists(#listedBy)';
  if (repository.repositoryType === 'virtual')
    return { if: `${unlisted} AND #children = :children`, values: { ':children': repository.children } };
  return repository.contentId === undefined
    ? { if: `${unlisted} AND attribute_not_exists(#contentId)` }
    : { if: `${unlisted} AND #contentId = :contentId`, values: { ':contentId': repository.contentId } };
};
