import { endpoint } from '../../shared/http/endpoint.ts';
import { mapEntries } from '../../shared/table/lists.ts';
import { levelOn, listMembers, type Membership } from '../../shared/table/memberships.ts';
import { listRepositoryMembers } from './contracts.ts';

export const handler = endpoint(
  listRepositoryMembers,
  async ({ workspace, repository: { repositoryId }, page, table }) => {
    const holds = (membership: Membership) => levelOn(membership, repositoryId) !== undefined;
    return mapEntries(await listMembers(table, workspace.workspaceId, holds, page), (membership) => ({
      userId: membership.userId,
      username: membership.username,
      repositoryPermissionLevel: levelOn(membership, repositoryId) ?? 'canView',
    }));
  },
);
