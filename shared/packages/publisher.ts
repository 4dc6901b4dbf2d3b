import type { Caller } from '../http/authorization.ts';
import type { Publisher } from '../table/packages.ts';

/** The caller, as a version stores its publisher. */
export const publisherOf = ({ user, token }: Caller): Publisher => ({
  userId: user.userId,
  username: user.username,
  tokenId: token?.tokenId ?? null,
});
