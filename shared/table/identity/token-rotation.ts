import { hashToken, tokenIdOf } from '../../auth/tokens.ts';
import type { Change } from '../changes.ts';
import type { Table } from '../client.ts';
import { tokenKey, workspaceKey } from '../keys.ts';
import { insertion, type Write } from '../writes.ts';
import { accessChanged } from './access-version.ts';
import { concernedBy, isPersonal, type ListedToken, tokenEntryKey, tokenFields } from './tokens.ts';

/** What a token becomes when another one takes its place. */
export interface Rotation {
  readonly secret: string;
  readonly expirationDate: string | null;
  /** How much longer the old token lives. */
  readonly overlapSeconds: number;
}

/** The earlier of two dates, where null is never. */
const earlier = (one: string, other: string | null): string => (other !== null && other < one ? other : one);

/**
 * Stores a token that takes the place of another: with the same rights, name and owner. The old one lives as long as the
 * overlap, and is gone at once without one. Of two rotations of one token, one succeeds.
 */
export const rotateToken = async <T extends ListedToken>(
  table: Table,
  old: T,
  { secret, expirationDate, overlapSeconds }: Rotation,
): Promise<{ readonly token: T; readonly oldUntil: string | null } | 'rotated before' | 'gone'> => {
  const tokenHash = hashToken(secret);
  const now = Date.now();
  const createdAt = new Date(now).toISOString();
  const token: ListedToken = {
    ...ownRightsOf(old),
    tokenId: tokenIdOf(tokenHash),
    tokenHash,
    expirationDate,
    createdAt,
  };
  const oldUntil =
    overlapSeconds === 0 ? null : earlier(new Date(now + overlapSeconds * 1000).toISOString(), old.expirationDate);
  const writes = [
    ...(oldUntil === null ? removal(old) : ending(old, token.tokenId, oldUntil)),
    insertion(tokenKey(token.tokenId), token),
    insertion(tokenEntryKey(token), { id: token.tokenId }),
    isPersonal(old)
      ? accessChanged(old.username)
      : { check: workspaceKey(old.workspaceId), if: 'attribute_exists(pk)' },
  ];
  const refusal = await table.write(writes, rotationChange(old, token, oldUntil));
  if (!refusal) return { token: token as T, oldUntil };
  return refusal[0]?.found ? 'rotated before' : 'gone';
};

/** What a token hands on to the one that takes its place. */
const ownRightsOf = (token: ListedToken) => {
  if (!isPersonal(token)) {
    const { kind, workspaceId, actorId, name, createdBy, grants } = token;
    return { kind, workspaceId, actorId, name, createdBy, grants };
  }
  const { userId, username, name, tokenGeneration, limits } = token;
  return { userId, username, name, tokenGeneration, limits };
};

/** What a record says of a rotation: the token that was, and what differs in the one that takes its place. */
const rotationChange = (old: ListedToken, token: ListedToken, replacedUntil: string | null): Change => ({
  action: 'token.rotated',
  workspaceId: isPersonal(old) ? null : old.workspaceId,
  target: { id: old.tokenId, name: old.name },
  alsoConcerns: [token.tokenId, ...concernedBy(old)],
  before: tokenFields(old),
  after: { id: token.tokenId, expirationDate: token.expirationDate, createdAt: token.createdAt, replacedUntil },
});

const stillInPlace = 'attribute_exists(pk) AND attribute_not_exists(#replacedBy)';

const removal = (old: ListedToken): Write[] => [
  { remove: tokenKey(old.tokenId), if: stillInPlace },
  { remove: tokenEntryKey(old) },
];

/** DynamoDB removes what has ended, some time later: a token that is rotated each hour does not fill its list. */
const ending = (old: ListedToken, replacedBy: string, until: string): Write[] => {
  const expiresAt = Math.ceil(Date.parse(until) / 1000);
  return [
    {
      update: tokenKey(old.tokenId),
      set: 'SET #expirationDate = :until, #replacedBy = :replacedBy, #expiresAt = :expiresAt',
      if: stillInPlace,
      values: { ':until': until, ':replacedBy': replacedBy, ':expiresAt': expiresAt },
    },
    { put: { ...tokenEntryKey(old), id: old.tokenId, expiresAt } },
  ];
};
