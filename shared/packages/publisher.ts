import type { Caller } from '../http/authorization.ts';
import type { Publisher } from '../table/packages.ts';

/** Who publishes, as the version remembers it. */
export const publisherOf = ({ user, token }: Caller): Publisher => ({
  userId: user.userId,
  username: user.username,
  tokenId: token?.tokenId ?? null,
});
