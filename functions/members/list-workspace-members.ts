import { endpoint } from '../../shared/http/endpoint.ts';
import { mapEntries } from '../../shared/table/lists.ts';
import { listMembers } from '../../shared/table/memberships.ts';
import { listWorkspaceMembers } from './contracts.ts';

export const handler = endpoint(listWorkspaceMembers, async ({ workspace, page, table }) =>
  mapEntries(await listMembers(table, workspace.workspaceId, () => true, page), ({ userId, username, role }) => ({
    userId,
    username,
    role,
  })),
);
