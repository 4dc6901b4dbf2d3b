import type { PackageType, RepositoryType } from '../../package-types.ts';
import type { Table } from '../client.ts';
import { repositoriesList, repositoryKey } from '../keys.ts';
import { listPage, type PageRequest } from '../lists.ts';
import type { Repository } from './repositories.ts';

/** The filters of a list. An absent filter restricts nothing. */
export interface Filters {
  readonly packageType?: PackageType | undefined;
  readonly repositoryType?: RepositoryType | undefined;
}

/** Whether a repository passes the filters of a list. */
export const passes = (
  entry: Pick<Repository, 'packageType' | 'repositoryType'>,
  { packageType, repositoryType }: Filters,
): boolean =>
  (packageType === undefined || entry.packageType === packageType) &&
  (repositoryType === undefined || entry.repositoryType === repositoryType);

/** Reads repositories by their IDs. Deleted ones and those that do not pass the filters are left out. */
export const readRepositories = async (
  table: Table,
  workspaceId: string,
  ids: readonly string[],
  filters: Filters = {},
): Promise<Repository[]> => {
  const keys = ids.map((id) => repositoryKey(workspaceId, id));
  const found = await table.read(keys);
  return keys
    .map((key) => found.find(key))
    .filter((repository) => repository !== undefined)
    .filter((repository) => passes(repository, filters));
};

/** The number of names that a page of repositories goes through at least. Sixteen of them are one read unit. */
export const namesReach = 1_000;

/** Lists the repositories of a workspace by name. */
export const listAllRepositories = <R>(
  table: Table,
  workspaceId: string,
  filters: Filters,
  page: PageRequest,
  turn: (repository: Repository) => R,
) =>
  listPage(
    table,
    repositoriesList(workspaceId),
    page,
    async (entries) => {
      const keys = entries.map(({ id }) => repositoryKey(workspaceId, id));
      const passing = entries.filter((entry) => passes(entry, filters));
      const found = await table.read(passing.map(({ id }) => repositoryKey(workspaceId, id)));
      return keys.map((key) => {
        const repository = found.find(key);
        return repository && turn(repository);
      });
    },
    namesReach,
  );
