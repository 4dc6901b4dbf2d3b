import type { Membership } from './identity/memberships.ts';
import type { Trust } from './identity/trusts.ts';
import type { User } from './identity/users.ts';
import type { Workspace } from './identity/workspaces.ts';
import type { IdentityMap } from './identity-map.ts';
import {
  type Entry,
  type Key,
  memberNameKey,
  membershipKey,
  repositoryKey,
  repositoryNameKey,
  trustKey,
  trustNameKey,
  userKey,
  usernameOfIdKey,
  workspaceKey,
  workspaceNameKey,
} from './keys.ts';
import { nameCache } from './name-cache.ts';
import { parseReference, type Reference } from './references.ts';
import type { Repository } from './repositories/repositories.ts';

/**
 * The ways from references to one kind of item. An item is stored under its ID or under its name. The other reference
 * leads to it through an alias item.
 */
interface Directory<T> {
  readonly itemKey: (reference: string) => Key<T>;
  readonly aliasKey: (reference: string) => Key;
  /** The reference that the item is stored under, if this is the one. `aliased` takes it from the alias item. */
  readonly direct: (reference: Reference) => string | undefined;
  readonly aliased: (loaded: IdentityMap, alias: string) => string | undefined;
}

const byId = <T>(itemKey: (id: string) => Key<T>, aliasKey: (name: string) => Key<Entry>): Directory<T> => ({
  itemKey,
  aliasKey,
  direct: (reference) => ('id' in reference ? reference.id : undefined),
  aliased: (loaded, name) => loaded.find(aliasKey(name))?.id,
});

export const workspaces: Directory<Workspace> = byId(workspaceKey, workspaceNameKey);

export const repositoriesOf = (workspaceId: string): Directory<Repository> =>
  byId(
    (id) => repositoryKey(workspaceId, id),
    (name) => repositoryNameKey(workspaceId, name),
  );

export const trustsOf = (workspaceId: string): Directory<Trust> =>
  byId(
    (id) => trustKey(id),
    (name) => trustNameKey(workspaceId, name),
  );

export const membersOf = (workspaceId: string): Directory<Membership> =>
  byId(
    (userId) => membershipKey(workspaceId, userId),
    (username) => memberNameKey(workspaceId, username),
  );

/** A user is stored under the username, so that signing in takes one read. The ID is the alias. */
export const users: Directory<User> = {
  itemKey: userKey,
  aliasKey: usernameOfIdKey,
  direct: (reference) => ('name' in reference ? reference.name : undefined),
  aliased: (loaded, userId) => loaded.find(usernameOfIdKey(userId))?.username,
};

/** Where a reference leads, as far as the items read so far show it. */
export interface Location<T> {
  /** The reference that the item is stored under. */
  readonly at: string | undefined;
  readonly item: T | undefined;
  /** The key to read next to find the item; empty if it was read. */
  readonly next: readonly Key[];
}

const nowhere = { at: undefined, item: undefined, next: [] } as const;

/**
 * Follows a reference, an ID or a name, to its item. The caller reads `next` and calls again until `next` is empty. A
 * name that this process knows costs no further read.
 */
export const locate = <T>(directory: Directory<T>, text: string | undefined, loaded: IdentityMap): Location<T> => {
  const reference = parseReference(text ?? '');
  if (!reference) return nowhere;
  const direct = directory.direct(reference);
  if (direct !== undefined) return found(directory.itemKey(direct), direct, loaded);
  const alias = 'id' in reference ? reference.id : reference.name;
  const aliasKey = directory.aliasKey(alias);
  const recalled = nameCache.recall(aliasKey);
  if (recalled !== undefined) {
    const location = found(directory.itemKey(recalled), recalled, loaded);
    if (location.item !== undefined || location.next.length > 0) return location;
    // The item was deleted, so the name may belong to another item now.
    nameCache.forget(aliasKey);
  }
  const at = directory.aliased(loaded, alias);
  if (at === undefined) return { ...nowhere, next: unread(aliasKey, loaded) };
  nameCache.remember(aliasKey, at);
  return found(directory.itemKey(at), at, loaded);
};

const found = <T>(key: Key<T>, at: string, loaded: IdentityMap): Location<T> => ({
  at,
  item: loaded.find(key),
  next: unread(key, loaded),
});

const unread = (key: Key, loaded: IdentityMap): readonly Key[] => (loaded.hasRead(key) ? [] : [key]);
