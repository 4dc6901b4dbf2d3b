import { endpoint } from '../../shared/http/endpoint.ts';
import { rotateWorkspaceToken } from './contracts.ts';
import { expirationRule } from './expiration.ts';
import { newWorkspaceTokenRecord } from './record.ts';
import { rotate } from './rotation.ts';
import { targetTokenKeys } from './target-token.ts';
import { targetWorkspaceTokenOf } from './target-workspace-token.ts';

export const handler = endpoint(
  rotateWorkspaceToken,
  async (call) => {
    const { body, caller, table } = call;
    const { token, secret, rotation } = await rotate(table, targetWorkspaceTokenOf(call), body, caller.token);
    return { ...newWorkspaceTokenRecord(token, secret), ...rotation };
  },
  { rules: [expirationRule], alsoRead: targetTokenKeys },
);
