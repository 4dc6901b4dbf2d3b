import { endpoint } from '../../shared/http/endpoint.ts';
import { getWorkspaceToken } from './contracts.ts';
import { workspaceTokenRecord } from './record.ts';
import { targetTokenKeys } from './target-token.ts';
import { targetWorkspaceTokenOf } from './target-workspace-token.ts';

export const handler = endpoint(getWorkspaceToken, async (call) => workspaceTokenRecord(targetWorkspaceTokenOf(call)), {
  alsoRead: targetTokenKeys,
});
