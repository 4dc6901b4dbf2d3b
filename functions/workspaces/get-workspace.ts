import { endpoint } from '../../shared/http/endpoint.ts';
import { workspaceKey } from '../../shared/table/keys.ts';
import { repositoryCountKeys, repositoryCountOf } from '../../shared/table/repository-count.ts';
import { getWorkspace } from './contracts.ts';
import { workspaceRecord } from './record.ts';

export const handler = endpoint(
  getWorkspace,
  async ({ workspace, loaded }) =>
    workspaceRecord(workspace, repositoryCountOf(workspace.workspaceId, workspace.countShares, loaded)),
  {
    alsoRead: ({ workspaceId, loaded }) =>
      repositoryCountKeys(workspaceId, loaded.find(workspaceKey(workspaceId))?.countShares),
  },
);
