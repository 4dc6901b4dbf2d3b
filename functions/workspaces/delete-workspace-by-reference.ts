import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteWorkspaceByReference } from './contracts.ts';
import { deleteEmptyWorkspace } from './deletion.ts';

export const handler = endpoint(deleteWorkspaceByReference, async ({ workspace, table }) =>
  deleteEmptyWorkspace(table, workspace),
);
