import { endpoint } from '../../shared/http/endpoint.ts';
import { mapEntries, pageOf } from '../../shared/table/lists.ts';
import { type Filters, listAllRepositories, readRepositories } from '../../shared/table/repositories.ts';
import { listRepositories } from './contracts.ts';
import { repositoryRecord } from './record.ts';

export const handler = endpoint(listRepositories, async ({ query, caller, workspace, page, table }) => {
  const filters: Filters = { packageType: query.packageType, repositoryType: query.repositoryType };
  const { workspaceId } = workspace;
  if (caller.isWorkspaceAdmin)
    return mapEntries(await listAllRepositories(table, workspaceId, filters, page), repositoryRecord);
  const granted = await readRepositories(table, workspaceId, Object.keys(caller.membership?.grants ?? {}), filters);
  return mapEntries(
    pageOf(
      granted.map((item) => ({ position: item.name, item })),
      page,
    ),
    repositoryRecord,
  );
});
