import type { VisibleRepositories } from '../../shared/http/rights.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import type { Table } from '../../shared/table/client.ts';
import { levelKeys, levelOn } from '../../shared/table/identity/levels.ts';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { locate, repositoriesOf } from '../../shared/table/locate.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';

/** The parts of a request that say which other repositories its caller may read. */
export interface ReadingCall {
  readonly table: Table;
  readonly caller: { readonly repositories: VisibleRepositories };
  readonly workspace: Workspace;
}

/** A repository, the items of those that it combines, and the verdicts on their packages. */
export interface ReadableRepository {
  readonly repository: Repository;
  readonly loaded: IdentityMap;
}

/** Another repository of the workspace in the path; undefined if the caller may not read it, or if it is elsewhere. */
export const readableRepository = async (
  { table, caller, workspace }: ReadingCall,
  workspaceReference: string,
  reference: string,
): Promise<ReadableRepository | undefined> => {
  const { workspaceId, name } = workspace;
  if (workspaceReference !== name && workspaceReference.toLowerCase() !== workspaceId) return undefined;
  const directory = repositoriesOf(workspaceId);
  const loaded = await table.readWanted((soFar) => [
    ...locate(directory, reference, soFar).next,
    ...alsoReadSources({ params: { repository: reference }, workspaceId, loaded: soFar }),
  ]);
  const { item: repository } = locate(directory, reference, loaded);
  if (!repository) return undefined;
  const { grantedTo, among } = caller.repositories;
  if (among && !among.includes(repository.repositoryId)) return undefined;
  if (!grantedTo) return { repository, loaded };
  const { repositoryId } = repository;
  const read = await table.readWanted((soFar) => levelKeys(workspaceId, grantedTo.userId, repositoryId, soFar));
  return levelOn(workspaceId, grantedTo, repositoryId, read) ? { repository, loaded } : undefined;
};
