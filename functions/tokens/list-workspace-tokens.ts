import { endpoint } from '../../shared/http/endpoint.ts';
import { listTokens } from '../../shared/table/identity/tokens.ts';
import { tokensOfWorkspaceList } from '../../shared/table/keys.ts';
import { listWorkspaceTokens } from './contracts.ts';
import { workspaceTokenRecord } from './record.ts';
import { listed } from './unused.ts';

export const handler = endpoint(listWorkspaceTokens, async ({ query, workspace: { workspaceId }, table, page }) =>
  listTokens(table, tokensOfWorkspaceList(workspaceId), page, (token) =>
    token.kind === 'workspace' ? listed(workspaceTokenRecord(token), query) : undefined,
  ),
);
