import { hashToken, tokenIdOf } from '../../auth/tokens.ts';
import type { Table } from '../client.ts';
import { tokenKey, workspaceKey } from '../keys.ts';
import { insertion } from '../writes.ts';
import { tokenChange, tokenEntryKey, type WorkspaceToken } from './tokens.ts';

type NewWorkspaceToken = Pick<WorkspaceToken, 'workspaceId' | 'name' | 'expirationDate' | 'createdBy' | 'grants'>;

/** Stores a new token of a workspace, unless the workspace is gone. */
export const insertWorkspaceToken = async (
  table: Table,
  secret: string,
  fields: NewWorkspaceToken,
): Promise<WorkspaceToken | 'workspace gone'> => {
  const tokenHash = hashToken(secret);
  const tokenId = tokenIdOf(tokenHash);
  const token: WorkspaceToken = {
    ...fields,
    kind: 'workspace',
    tokenId,
    tokenHash,
    actorId: tokenId,
    createdAt: new Date().toISOString(),
  };
  const refusal = await table.write(
    [
      { check: workspaceKey(fields.workspaceId), if: 'attribute_exists(pk)' },
      insertion(tokenKey(tokenId), token),
      insertion(tokenEntryKey(token), { id: tokenId }),
    ],
    tokenChange('token.created', token),
  );
  return refusal ? 'workspace gone' : token;
};
