import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { Table } from '../../shared/table/client.ts';
import { insertWorkspace } from '../../shared/table/identity/workspaces.ts';
import { workspaceKey } from '../../shared/table/keys.ts';
import { sumOf } from '../../shared/table/packages/usage.ts';
import { commentsIn, oneNameOfComments } from './comments.ts';
import { createWorkspace } from './contracts.ts';
import { alsoReadFigures, figuresOf } from './figures.ts';
import { workspaceRecord } from './record.ts';

const storedRecord = async (table: Table, workspaceId: string) => {
  const key = workspaceKey(workspaceId);
  const loaded = await table.readWanted((soFar) => [key, ...alsoReadFigures({ workspaceId, loaded: soFar })]);
  const workspace = loaded.find(key);
  return workspace && workspaceRecord(workspace, figuresOf(workspace, loaded));
};

export const handler = endpoint(
  createWorkspace,
  async ({ body, table, remember }) => {
    const fields = {
      name: body.name,
      comments: commentsIn(body) ?? '',
      ...(body.storageLimit != null && { storageLimit: body.storageLimit }),
      ...(body.packageLimit != null && { packageLimit: body.packageLimit }),
    };
    const workspace = await insertWorkspace(table, fields, remember);
    if (workspace === 'name taken')
      throw new ApiError('WORKSPACE_NAME_TAKEN', `A workspace named '${body.name}' already exists.`);
    return workspaceRecord(workspace, { repositoryCount: 0, usage: sumOf([]) });
  },
  {
    rules: [oneNameOfComments],
    answerAgain: async ({ table }, workspaceId) => storedRecord(table, workspaceId),
  },
);
