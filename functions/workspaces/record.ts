import type { Infer } from '../../shared/http/schema.ts';
import type { Membership } from '../../shared/table/identity/memberships.ts';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import type { listedWorkspaceSchema, workspaceSchema } from './contracts.ts';
import type { Figures } from './figures.ts';

/** The wire record of a workspace. */
export const workspaceRecord = (
  workspace: Workspace,
  { repositoryCount, usage }: Figures,
): Infer<typeof workspaceSchema> => ({
  id: workspace.workspaceId,
  workspaceId: workspace.workspaceId,
  name: workspace.name,
  comments: workspace.comments,
  repositoryCount,
  storageUsageInByte: usage.bytes,
  storageLimitInByte: workspace.storageLimit ?? null,
  packageUsage: usage.packages,
  packageLimit: workspace.packageLimit ?? null,
  createdAt: workspace.createdAt,
});

/** The wire record of a workspace in a list, with the caller's role in the workspace. */
export const listedWorkspace = (
  workspace: Workspace,
  membership: Membership | undefined,
): Infer<typeof listedWorkspaceSchema> => ({
  id: workspace.workspaceId,
  workspaceId: workspace.workspaceId,
  name: workspace.name,
  comments: workspace.comments,
  createdAt: workspace.createdAt,
  role: membership?.role ?? null,
});
