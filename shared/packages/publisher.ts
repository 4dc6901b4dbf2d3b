import type { Caller } from '../http/caller.ts';
import type { Publisher } from '../table/packages.ts';

/** The caller, as a version stores its publisher. */
export const publisherOf = ({ actor }: Pick<Caller, 'actor'>): Publisher => ({
  kind: actor.kind,
  userId: actor.kind === 'user' ? actor.id : null,
  username: actor.name,
  tokenId: actor.tokenId,
});
