import { endpoint } from '../../shared/http/endpoint.ts';
import { tokensOfWorkspaceList } from '../../shared/table/keys.ts';
import { isPersonal, listTokens } from '../../shared/table/tokens.ts';
import { listWorkspaceTokens } from './contracts.ts';
import { workspaceTokenRecord } from './record.ts';
import { listed } from './unused.ts';

export const handler = endpoint(listWorkspaceTokens, async ({ query, workspace: { workspaceId }, table, page }) =>
  listTokens(table, tokensOfWorkspaceList(workspaceId), page, (token) =>
    isPersonal(token) ? undefined : listed(workspaceTokenRecord(token), query),
  ),
);
