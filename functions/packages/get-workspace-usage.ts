import { endpoint } from '../../shared/http/endpoint.ts';
import { readUsage } from '../../shared/table/usage.ts';
import { getWorkspaceUsage } from './contracts.ts';

export const handler = endpoint(getWorkspaceUsage, async ({ workspace, table }) =>
  readUsage(table, workspace.workspaceId),
);
