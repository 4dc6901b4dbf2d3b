import { ApiError } from '../../shared/errors.ts';
import type { ResultOf } from '../../shared/http/contract.ts';
import type { Table } from '../../shared/table/client.ts';
import { removeWorkspace, type Workspace } from '../../shared/table/identity/workspaces.ts';
import type { deleteWorkspace } from './contracts.ts';

/** Deletes a workspace, however the request named it. */
export const deleteEmptyWorkspace = async (
  table: Table,
  workspace: Workspace,
): Promise<ResultOf<typeof deleteWorkspace>> => {
  const outcome = await removeWorkspace(table, workspace);
  if (outcome === 'gone') throw new ApiError('WORKSPACE_NOT_FOUND');
  if (outcome === 'not empty') throw new ApiError('WORKSPACE_NOT_EMPTY');
  const { workspaceId, name } = workspace;
  return { id: workspaceId, name, workspaceId, workspaceName: name };
};
