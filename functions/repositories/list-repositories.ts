import { endpoint } from '../../shared/http/endpoint.ts';
import { type Filters, listAllRepositories } from '../../shared/table/repositories.ts';
import { listRepositories } from './contracts.ts';
import { listGrantedRepositories } from './granted-repositories.ts';
import { repositoryRecord } from './record.ts';

export const handler = endpoint(
  listRepositories,
  async ({ query, caller: { isWorkspaceAdmin, membership }, workspace: { workspaceId }, page, table }) => {
    const filters: Filters = { packageType: query.packageType, repositoryType: query.repositoryType };
    return isWorkspaceAdmin || !membership
      ? listAllRepositories(table, workspaceId, filters, page, repositoryRecord)
      : listGrantedRepositories(table, { membership, workspaceId, filters, page, turn: repositoryRecord });
  },
);
