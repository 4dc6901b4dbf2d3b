import { hashToken, tokenIdOf } from '../auth/tokens.ts';
import type { Table } from './client.ts';
import { tokenKey, workspaceKey } from './keys.ts';
import { type TrustToken, tokenChange } from './tokens.ts';
import type { Trust } from './trusts.ts';
import { insertion } from './writes.ts';

/** Stores a new token of a trust, unless its workspace is gone. The trust itself makes the change. */
export const insertTrustToken = async (
  table: Table,
  secret: string,
  trust: Trust,
): Promise<TrustToken | 'workspace gone'> => {
  const tokenHash = hashToken(secret);
  const tokenId = tokenIdOf(tokenHash);
  const { trustId, workspaceId, name, revision, lifetimeSeconds } = trust;
  const now = Date.now();
  const end = now + lifetimeSeconds * 1000;
  const token: TrustToken = {
    kind: 'trust',
    tokenId,
    tokenHash,
    name,
    workspaceId,
    trustId,
    trustRevision: revision,
    createdAt: new Date(now).toISOString(),
    expirationDate: new Date(end).toISOString(),
    expiresAt: Math.ceil(end / 1000),
  };
  table.author = { ...table.author, actor: { kind: 'trust', id: trustId, name, tokenId } };
  const refusal = await table.write(
    [{ check: workspaceKey(workspaceId), if: 'attribute_exists(pk)' }, insertion(tokenKey(tokenId), token)],
    tokenChange('token.created', token),
  );
  return refusal ? 'workspace gone' : token;
};
