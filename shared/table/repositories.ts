import { randomInt, randomUUID } from 'node:crypto';
import type { PackageType, RepositoryType } from '../packages.ts';
import type { Item, Table } from './client.ts';
import { repositoryKey, repositoryNameKey } from './keys.ts';
import { countRepositories, type Workspace } from './workspaces.ts';

/** A repository as stored. */
export interface Repository {
  readonly repositoryId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly packageType: PackageType;
  readonly repositoryType: RepositoryType;
  /** The share of the workspace's repository count that this repository is in. */
  readonly countShard: number;
  readonly createdAt: string;
  readonly createdBy: string;
}

/** The repository of an item that a read found. */
export const repositoryOf = (item: Item | undefined): Repository | undefined => item && (item as unknown as Repository);

/** Creates a repository, or says why not. */
export const insertRepository = async (
  table: Table,
  workspace: Workspace,
  fields: Pick<Repository, 'name' | 'packageType' | 'repositoryType' | 'createdBy'>,
): Promise<Repository | 'name taken' | 'workspace gone'> => {
  const { workspaceId } = workspace;
  const repository: Repository = {
    ...fields,
    repositoryId: randomUUID(),
    workspaceId,
    countShard: randomInt(workspace.countShards),
    createdAt: new Date().toISOString(),
  };
  const { repositoryId, name, packageType, repositoryType, countShard } = repository;
  const refusal = await table.write([
    countRepositories(workspaceId, countShard, 1),
    {
      insert: {
        ...repositoryNameKey(workspaceId, name),
        id: repositoryId,
        packageType,
        repositoryType,
      },
    },
    { insert: { ...repositoryKey(workspaceId, repositoryId), ...repository } },
  ]);
  if (!refusal) return repository;
  return refusal[0] ? 'workspace gone' : 'name taken';
};
