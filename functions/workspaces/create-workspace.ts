import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { sumOf } from '../../shared/table/usage.ts';
import { insertWorkspace } from '../../shared/table/workspaces.ts';
import { createWorkspace } from './contracts.ts';
import { workspaceRecord } from './record.ts';

export const handler = endpoint(createWorkspace, async ({ body, table }) => {
  const workspace = await insertWorkspace(table, {
    name: body.name,
    comments: body.comments ?? '',
    ...(body.storageLimit != null && { storageLimit: body.storageLimit }),
    ...(body.packageLimit != null && { packageLimit: body.packageLimit }),
  });
  if (workspace === 'name taken')
    throw new ApiError('WORKSPACE_NAME_TAKEN', `A workspace named '${body.name}' already exists.`);
  return workspaceRecord(workspace, { repositoryCount: 0, usage: sumOf([]) });
});
