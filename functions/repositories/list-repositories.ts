import { endpoint } from '../../shared/http/endpoint.ts';
import { inOrder } from '../../shared/http/paging.ts';
import { type Filters, listAllRepositories, readRepositories } from '../../shared/table/repositories.ts';
import { listRepositories } from './contracts.ts';
import { repositoryRecord } from './record.ts';

export const handler = endpoint(listRepositories, async ({ query, caller, workspace, page, table }) => {
  const filters: Filters = { packageType: query.packageType, repositoryType: query.repositoryType };
  const { workspaceId } = workspace;
  if (caller.isWorkspaceAdmin) {
    const { entries, more } = await listAllRepositories(table, workspaceId, filters, page);
    return { entries: entries.map(({ position, item }) => ({ position, item: repositoryRecord(item) })), more };
  }
  const granted = await readRepositories(table, workspaceId, Object.keys(caller.membership?.grants ?? {}), filters);
  return inOrder(
    granted.map((repository) => ({ position: repository.name, item: repositoryRecord(repository) })),
    page,
  );
});
