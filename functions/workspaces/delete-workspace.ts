import { ApiError, invalid, type Violation } from '../../shared/errors.ts';
import type { Rule } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Location, locate, workspaces } from '../../shared/table/locate.ts';
import { idOf, nameOf } from '../../shared/table/references.ts';
import { deleteWorkspace } from './contracts.ts';
import { deleteEmptyWorkspace } from './deletion.ts';

const oneIsGiven: Rule<typeof deleteWorkspace> = ({ workspaceId, workspaceName }) => {
  if (workspaceId !== undefined || workspaceName !== undefined) return [];
  return [{ pointer: '', rule: 'anyOf', message: 'Send workspaceId, workspaceName, or both.' }];
};

const disagreement: Violation = {
  pointer: '',
  rule: 'agree',
  message: 'workspaceId and workspaceName must name the same workspace. Nothing was deleted.',
};

interface Named {
  readonly workspaceId?: string | undefined;
  readonly workspaceName?: string | undefined;
}

/** The location of each field that the body has. A name in `workspaceId` leads nowhere, and neither does an ID in `workspaceName`. */
const locations = ({ workspaceId, workspaceName }: Named, loaded: IdentityMap): Location<Workspace>[] => [
  ...(workspaceId === undefined ? [] : [locate(workspaces, idOf(workspaceId), loaded)]),
  ...(workspaceName === undefined ? [] : [locate(workspaces, nameOf(workspaceName), loaded)]),
];

/** The workspace that the body names by one field, or by both. */
const workspaceNamed = (named: Named, loaded: IdentityMap): Workspace => {
  const items = locations(named, loaded).map(({ item }) => item);
  const [workspace, ...others] = items.filter((item) => item !== undefined);
  if (!workspace) throw new ApiError('WORKSPACE_NOT_FOUND');
  const agree =
    items.length === others.length + 1 && others.every((other) => other.workspaceId === workspace.workspaceId);
  if (!agree) throw invalid([disagreement]);
  return workspace;
};

export const handler = endpoint(
  deleteWorkspace,
  async ({ body, loaded, table }) => deleteEmptyWorkspace(table, workspaceNamed(body, loaded)),
  {
    rules: [oneIsGiven],
    alsoRead: ({ body, loaded }) => locations(body, loaded).flatMap(({ next }) => next),
  },
);
