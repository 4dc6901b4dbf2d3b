import { endpoint } from '../../shared/http/endpoint.ts';
import { listHolders } from '../../shared/table/identity/levels.ts';
import { listRepositoryMembers } from './contracts.ts';

export const handler = endpoint(
  listRepositoryMembers,
  async ({ workspace, repository: { repositoryId }, page, table }) =>
    listHolders(table, workspace.workspaceId, repositoryId, page, ({ userId, username, level }) => ({
      userId,
      username,
      repositoryPermissionLevel: level,
    })),
);
