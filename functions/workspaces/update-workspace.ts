import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { changeWorkspace } from '../../shared/table/identity/workspaces.ts';
import { commentsIn, oneNameOfComments } from './comments.ts';
import { updateWorkspace } from './contracts.ts';
import { alsoReadFigures, figuresOf } from './figures.ts';
import { workspaceRecord } from './record.ts';

export const handler = endpoint(
  updateWorkspace,
  async ({ body, workspace, loaded, table }) => {
    const { storageLimit, packageLimit } = body;
    const comments = commentsIn(body);
    const changes = {
      ...(comments !== undefined && { comments: comments ?? '' }),
      ...(storageLimit !== undefined && { storageLimit }),
      ...(packageLimit !== undefined && { packageLimit }),
    };
    const changed = await changeWorkspace(table, workspace, changes);
    if (changed === 'gone') throw new ApiError('WORKSPACE_NOT_FOUND');
    return workspaceRecord(changed, figuresOf(changed, loaded));
  },
  { rules: [oneNameOfComments], alsoRead: alsoReadFigures },
);
