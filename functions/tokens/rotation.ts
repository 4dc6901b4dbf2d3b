import { newToken } from '../../shared/auth/tokens.ts';
import { ApiError } from '../../shared/errors.ts';
import type { Infer } from '../../shared/http/schema.ts';
import type { Table } from '../../shared/table/client.ts';
import { rotateToken } from '../../shared/table/identity/token-rotation.ts';
import { isCurrent, isPersonal, type ListedToken, type Token } from '../../shared/table/identity/tokens.ts';
import { expirationOfRotation } from './expiration.ts';
import type { rotationBody } from './schemas.ts';

/** Makes a token that takes the place of another, and what the answer tells of the other one. */
export const rotate = async <T extends ListedToken>(
  table: Table,
  old: T,
  { overlapSeconds, expirationDate: requested }: Infer<typeof rotationBody>,
  maker: Token | undefined,
) => {
  if (!isCurrent(old) || old.replacedBy !== undefined) throw new ApiError('TOKEN_ENDED');
  const secret = newToken(isPersonal(old) ? 'personal' : 'workspace');
  const expirationDate = expirationOfRotation(requested, old, maker);
  const outcome = await rotateToken(table, old, { secret, expirationDate, overlapSeconds: overlapSeconds ?? 0 });
  if (outcome === 'rotated before') throw new ApiError('TOKEN_ENDED');
  if (outcome === 'gone') throw new ApiError('TOKEN_NOT_FOUND');
  const { token, oldUntil } = outcome;
  return { token, secret, rotation: { replaces: old.tokenId, replacedUntil: oldUntil } };
};
