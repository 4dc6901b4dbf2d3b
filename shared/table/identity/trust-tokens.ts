import { hashToken, tokenIdOf } from '../../auth/tokens.ts';
import type { Table } from '../client.ts';
import { tokenKey, trustKey, workspaceKey } from '../keys.ts';
import { insertion, type Update } from '../writes.ts';
import { hourToNote } from './last-use.ts';
import { type TrustToken, tokenChange } from './tokens.ts';
import type { Trust } from './trusts.ts';

/** Notes at a trust the hour in which it is used, once an hour. */
const useNoted = (trust: Trust): Update[] => {
  const hour = hourToNote(trust);
  if (hour === undefined) return [];
  const update = trustKey(trust.trustId);
  return [{ update, set: 'SET #lastUsedAt = :hour', if: 'attribute_exists(pk)', values: { ':hour': hour } }];
};

/** Stores a new token of a trust, unless its workspace is gone, or the trust. The trust itself makes the change. */
export const insertTrustToken = async (table: Table, secret: string, trust: Trust): Promise<TrustToken | 'gone'> => {
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
    [
      { check: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
      insertion(tokenKey(tokenId), token),
      ...useNoted(trust),
    ],
    tokenChange('token.created', token),
  );
  return refusal ? 'gone' : token;
};
