import type { Membership } from './memberships.ts';
import type { Repository } from './repositories.ts';
import type { RepositoryCount } from './repository-count.ts';
import type { Sweep } from './sweeps.ts';
import type { Token } from './tokens.ts';
import type { User } from './users.ts';
import type { Workspace } from './workspaces.ts';

declare const held: unique symbol;

/**
 * Where one item of the table lies; the type parameter says what it holds. `#` never occurs in an ID or a name, so no value can
 * reach into another key.
 *
 * | pk                     | sk                          | item                                                     |
 * |------------------------|-----------------------------|----------------------------------------------------------|
 * | USER#username          | USER                        | the user: a login with a password is one read            |
 * | USERID#userId          | USERID                      | userId → username                                        |
 * | EMAIL#address          | EMAIL                       | holds an e-mail address                                  |
 * | USERS                  | username                    | the list of users                                        |
 * | ADMINS                 | ADMINS                      | the number of active system admins                       |
 * | TOKEN#tokenId          | TOKEN                       | a personal access token; its ID comes from its hash      |
 * | ACCOUNT#userId         | TOKEN#name\u0001tokenId     | the list of a user's tokens                              |
 * | ACCOUNT#userId         | WORKSPACE#name#workspaceId  | the list of a user's workspaces                          |
 * | WORKSPACES             | name                        | holds a workspace name, name → ID; the list of workspaces |
 * | WORKSPACE#workspaceId  | WORKSPACE                   | the workspace                                            |
 * | WORKSPACE#workspaceId  | COUNT#shard                 | a shard of the number of its repositories                |
 * | WORKSPACE#workspaceId  | MEMBER#userId               | a membership: the role and all grants of one user        |
 * | WORKSPACE#workspaceId  | MEMBERNAME#username         | the list of members                                      |
 * | WORKSPACE#workspaceId  | REPOSITORY#repositoryId     | the repository                                           |
 * | WORKSPACE#workspaceId  | REPOSITORYNAME#name         | holds a repository name, name → ID; the list             |
 * | SWEEP                  | workspaceId                 | a deleted workspace whose memberships are to be removed  |
 */
export interface Key<T = unknown> {
  readonly pk: string;
  readonly sk: string;
  readonly [held]?: T;
}

/** What the table holds under one key. */
export type Item = Key & Readonly<Record<string, unknown>>;

/** Items of one partition whose sort keys begin alike: a list, in the order of what follows the prefix. */
export interface ListKey<T = unknown> {
  readonly pk: string;
  readonly prefix: string;
  readonly [held]?: T;
}

/** The item of a name or of a list: what it stands for is stored under the ID. */
export interface Entry {
  readonly id: string;
}

/** The entry of a repository's name: what filters of the list look at. */
type RepositoryEntry = Entry & Pick<Repository, 'packageType' | 'repositoryType'>;

/** What lies under a key, typed by the key: the one place where stored data gets its type. */
export const heldBy = <T>(_key: Key<T> | ListKey<T>, item: unknown): T | undefined => item as T | undefined;

export const userKey = (username: string): Key<User> => ({ pk: `USER#${username}`, sk: 'USER' });
export const usernameOfIdKey = (userId: string): Key<Pick<User, 'username'>> => ({
  pk: `USERID#${userId}`,
  sk: 'USERID',
});
export const emailKey = (email: string): Key<Entry> => ({ pk: `EMAIL#${email}`, sk: 'EMAIL' });
export const usersList: ListKey<Entry> = { pk: 'USERS', prefix: '' };
export const userListKey = (username: string): Key<Entry> => ({ pk: usersList.pk, sk: username });
export const activeAdminsKey: Key<{ readonly count: number }> = { pk: 'ADMINS', sk: 'ADMINS' };

export const tokenKey = (tokenId: string): Key<Token> => ({ pk: `TOKEN#${tokenId}`, sk: 'TOKEN' });
export const tokensOfUserList = (userId: string): ListKey<Entry> => ({ pk: `ACCOUNT#${userId}`, prefix: 'TOKEN#' });
/** Names of tokens are free text: U+0001 sorts `ci` before `ci 2`, which `#` would not. */
export const tokenListKey = (userId: string, name: string, tokenId: string): Key<Entry> =>
  keyIn(tokensOfUserList(userId), `${name}\u0001${tokenId}`);

export const workspacesList: ListKey<Entry> = { pk: 'WORKSPACES', prefix: '' };
export const workspaceNameKey = (name: string): Key<Entry> => keyIn(workspacesList, name);
export const workspaceKey = (workspaceId: string): Key<Workspace> => ({ pk: partition(workspaceId), sk: 'WORKSPACE' });
export const repositoryCountKey = (workspaceId: string, shard: number): Key<RepositoryCount> => ({
  pk: partition(workspaceId),
  sk: `COUNT#${String(shard).padStart(3, '0')}`,
});

export const membershipsList = (workspaceId: string): ListKey<Membership> => ({
  pk: partition(workspaceId),
  prefix: 'MEMBER#',
});
export const membershipKey = (workspaceId: string, userId: string): Key<Membership> =>
  keyIn(membershipsList(workspaceId), userId);
export const membersList = (workspaceId: string): ListKey<Entry> => ({
  pk: partition(workspaceId),
  prefix: 'MEMBERNAME#',
});
export const memberNameKey = (workspaceId: string, username: string): Key<Entry> =>
  keyIn(membersList(workspaceId), username);
export const workspacesOfUserList = (userId: string): ListKey<Entry> => ({
  pk: `ACCOUNT#${userId}`,
  prefix: 'WORKSPACE#',
});
export const workspaceOfUserKey = (userId: string, workspaceName: string, workspaceId: string): Key<Entry> =>
  keyIn(workspacesOfUserList(userId), `${workspaceName}#${workspaceId}`);

export const repositoryKey = (workspaceId: string, repositoryId: string): Key<Repository> => ({
  pk: partition(workspaceId),
  sk: `REPOSITORY#${repositoryId}`,
});
export const repositoriesList = (workspaceId: string): ListKey<RepositoryEntry> => ({
  pk: partition(workspaceId),
  prefix: 'REPOSITORYNAME#',
});
export const repositoryNameKey = (workspaceId: string, name: string): Key<RepositoryEntry> =>
  keyIn(repositoriesList(workspaceId), name);

export const sweepsList: ListKey<Sweep> = { pk: 'SWEEP', prefix: '' };
export const sweepKey = (workspaceId: string): Key<Sweep> => keyIn(sweepsList, workspaceId);

const partition = (workspaceId: string): string => `WORKSPACE#${workspaceId}`;

const keyIn = <T>({ pk, prefix }: ListKey<T>, position: string): Key<T> => ({ pk, sk: `${prefix}${position}` });

/** One text per key, to compare keys and to index what was read. */
export const keyText = ({ pk, sk }: Key): string => `${pk}\n${sk}`;
