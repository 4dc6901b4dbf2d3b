import type { Infer } from '../../shared/http/schema.ts';
import type { Workspace } from '../../shared/table/workspaces.ts';
import type { workspaceRecord as shape } from './contracts.ts';

/** A workspace as it is told. */
export const workspaceRecord = (workspace: Workspace, repositoryCount: number): Infer<typeof shape> => ({
  id: workspace.workspaceId,
  workspaceId: workspace.workspaceId,
  name: workspace.name,
  comments: workspace.comments,
  repositoryCount,
  createdAt: workspace.createdAt,
});
