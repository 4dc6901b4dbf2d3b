import { ApiError } from '../../shared/errors.ts';
import type { WorkspaceToken } from '../../shared/table/identity/tokens.ts';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { targetTokenKeys } from './target-token.ts';

/** The token in the path. It must be one of the workspace in the path. */
export const targetWorkspaceTokenOf = ({
  params,
  workspace,
  loaded,
}: {
  readonly params: { readonly tokenId: string };
  readonly workspace: Workspace;
  readonly loaded: IdentityMap;
}): WorkspaceToken => {
  const [token] = targetTokenKeys({ params }).map((key) => loaded.find(key));
  if (token?.kind !== 'workspace' || token.workspaceId !== workspace.workspaceId)
    throw new ApiError('TOKEN_NOT_FOUND', 'This workspace has no such token.');
  return token;
};
