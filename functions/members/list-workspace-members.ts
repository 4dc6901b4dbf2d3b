import { endpoint } from '../../shared/http/endpoint.ts';
import { listMembers } from '../../shared/table/identity/memberships.ts';
import { listWorkspaceMembers } from './contracts.ts';

export const handler = endpoint(listWorkspaceMembers, async ({ workspace, page, table }) =>
  listMembers(table, workspace.workspaceId, page, ({ userId, username, role }) => ({ userId, username, role })),
);
