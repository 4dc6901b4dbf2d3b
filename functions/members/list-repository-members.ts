import { endpoint } from '../../shared/http/endpoint.ts';
import { levelOn, listMembers } from '../../shared/table/memberships.ts';
import { listRepositoryMembers } from './contracts.ts';

export const handler = endpoint(
  listRepositoryMembers,
  async ({ workspace, repository: { repositoryId }, page, table }) => {
    const holds = (membership: Parameters<typeof levelOn>[0]) => levelOn(membership, repositoryId) !== undefined;
    const { entries, more } = await listMembers(table, workspace.workspaceId, holds, page);
    return {
      entries: entries.map(({ position, item }) => ({
        position,
        item: {
          userId: item.userId,
          username: item.username,
          repositoryPermissionLevel: levelOn(item, repositoryId) ?? 'canView',
        },
      })),
      more,
    };
  },
);
