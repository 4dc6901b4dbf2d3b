import type { Caller } from '../../http/caller.ts';
import type { Publisher } from '../../table/packages/packages.ts';

/** The caller, as a version stores its publisher. */
export const publisherOf = ({ actor }: Pick<Caller, 'actor'>): Publisher => ({
  kind: actor.kind,
  userId: actor.kind === 'user' ? actor.id : null,
  username: actor.name,
  tokenId: actor.tokenId,
});

/** A publisher as a caller is shown it. */
export type ShownPublisher = Omit<Publisher, 'username'> & { readonly username: string | null };

/**
 * The publisher as a caller is shown it. Who finds the token of a pipeline in a log learns no name whose password could be
 * guessed, as with the members of the workspace.
 */
export const publisherFor = ({ user }: Pick<Caller, 'user'>, by: Publisher): ShownPublisher =>
  user === undefined && by.kind === 'user' ? { ...by, username: null } : by;
