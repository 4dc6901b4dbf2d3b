import { ApiError, invalid, type Violation } from '../../shared/errors.ts';
import type { Rule } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { workspaceKey, workspaceNameKey } from '../../shared/table/keys.ts';
import { parseReference } from '../../shared/table/references.ts';
import { type Workspace, workspaceOf } from '../../shared/table/workspaces.ts';
import { deleteWorkspace } from './contracts.ts';
import { deleteEmptyWorkspace } from './deletion.ts';

interface Named {
  readonly workspaceId?: string | undefined;
  readonly workspaceName?: string | undefined;
}

/** The IDs that the body names: by `workspaceId`, and by `workspaceName` as far as its item was read. */
const idsOf = ({ workspaceId, workspaceName }: Named, loaded: IdentityMap) => {
  const byId = parseReference(workspaceId ?? '');
  const byName = parseReference(workspaceName ?? '');
  return {
    byId: byId && 'id' in byId ? byId.id : undefined,
    byName: byName && 'name' in byName ? loaded.identify(byName, workspaceNameKey, workspaceKey) : undefined,
  };
};

const oneIsGiven: Rule<typeof deleteWorkspace> = ({ workspaceId, workspaceName }) => {
  if (workspaceId !== undefined || workspaceName !== undefined) return [];
  return [{ pointer: '', rule: 'anyOf', message: 'Send workspaceId, workspaceName, or both.' }];
};

const disagreement: Violation = {
  pointer: '',
  rule: 'agree',
  message: 'workspaceId and workspaceName must be of the same workspace. Nothing was deleted.',
};

const workspaceNamed = (named: Named, loaded: IdentityMap): Workspace | undefined => {
  const { byId, byName } = idsOf(named, loaded);
  const [one, other] = [byId, byName].map((id) => (id ? workspaceOf(loaded.find(workspaceKey(id))) : undefined));
  const areBothGiven = named.workspaceId !== undefined && named.workspaceName !== undefined;
  if (areBothGiven && one?.workspaceId !== other?.workspaceId) throw invalid([disagreement]);
  return one ?? other;
};

export const handler = endpoint(
  deleteWorkspace,
  async ({ body, loaded, table }) => {
    const workspace = workspaceNamed(body, loaded);
    if (!workspace) throw new ApiError('WORKSPACE_NOT_FOUND');
    return deleteEmptyWorkspace(table, workspace);
  },
  {
    rules: [oneIsGiven],
    alsoRead: ({ body, loaded }) => {
      const { byId, byName } = idsOf(body, loaded);
      const name = parseReference(body.workspaceName ?? '');
      return [
        ...[byId, byName].filter((id) => id !== undefined).map(workspaceKey),
        ...(byName === undefined && name && 'name' in name ? [workspaceNameKey(name.name)] : []),
      ];
    },
  },
);
