import { endpoint } from '../../shared/http/endpoint.ts';
import { listMembers } from '../../shared/table/memberships.ts';
import { listWorkspaceMembers } from './contracts.ts';

export const handler = endpoint(listWorkspaceMembers, async ({ workspace, page, table }) => {
  const { entries, more } = await listMembers(table, workspace.workspaceId, () => true, page);
  return {
    entries: entries.map(({ position, item: { userId, username, role } }) => ({
      position,
      item: { userId, username, role },
    })),
    more,
  };
});
