import { endpoint } from '../../shared/http/endpoint.ts';
import { removeToken } from '../../shared/table/identity/tokens.ts';
import { deleteWorkspaceToken } from './contracts.ts';
import { targetTokenKeys } from './target-token.ts';
import { targetWorkspaceTokenOf } from './target-workspace-token.ts';

export const handler = endpoint(
  deleteWorkspaceToken,
  async (call) => {
    const token = targetWorkspaceTokenOf(call);
    await removeToken(call.table, token);
    return { tokenId: token.tokenId, status: 'deleted' as const };
  },
  { alsoRead: targetTokenKeys },
);
