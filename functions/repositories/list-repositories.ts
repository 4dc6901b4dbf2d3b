import { endpoint } from '../../shared/http/endpoint.ts';
import type { Filters } from '../../shared/table/repositories/repository-lists.ts';
import { listRepositories } from './contracts.ts';
import { repositoryRecord } from './record.ts';
import { listVisibleRepositories } from './visible-repositories.ts';

export const handler = endpoint(
  listRepositories,
  async ({ query, caller: { repositories: visible }, workspace: { workspaceId }, page, table }) => {
    const filters: Filters = { packageType: query.packageType, repositoryType: query.repositoryType };
    return listVisibleRepositories(table, visible, { workspaceId, filters, page, turn: repositoryRecord });
  },
);
