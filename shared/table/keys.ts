/**
 * Every key of the table. `#` never occurs in an id or a name, so no value can reach into another key.
 *
 * | pk                     | sk                          | item                                                     |
 * |------------------------|-----------------------------|----------------------------------------------------------|
 * | USER#username          | USER                        | the user: a login with a password is one read            |
 * | USERID#userId          | USERID                      | userId → username                                        |
 * | EMAIL#address          | EMAIL                       | holds an e-mail address                                  |
 * | USERS                  | username                    | the list of users                                        |
 * | ADMINS                 | ADMINS                      | how many active system admins there are                  |
 * | TOKEN#tokenId          | TOKEN                       | a personal access token; its id comes from its hash      |
 * | ACCOUNT#userId         | TOKEN#name\u0001tokenId     | the list of a user's tokens                              |
 * | ACCOUNT#userId         | WORKSPACE#name#workspaceId  | the list of a user's workspaces                          |
 * | WORKSPACES             | name                        | holds a workspace name, name → id; the list of workspaces |
 * | WORKSPACE#workspaceId  | WORKSPACE                   | the workspace                                            |
 * | WORKSPACE#workspaceId  | COUNT#share                 | a share of the number of its repositories                |
 * | WORKSPACE#workspaceId  | MEMBER#userId               | a membership: the role and all grants of one user        |
 * | WORKSPACE#workspaceId  | MEMBERNAME#username         | the list of members                                      |
 * | WORKSPACE#workspaceId  | REPOSITORY#repositoryId     | the repository                                           |
 * | WORKSPACE#workspaceId  | REPOSITORYNAME#name         | holds a repository name, name → id; the list             |
 * | SWEEP                  | workspaceId                 | a deleted workspace whose memberships wait to be removed |
 */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** What the table holds under one key. */
export type Item = Key & Readonly<Record<string, unknown>>;

export const userKey = (username: string): Key => ({
  pk: `USER#${username}`,
  sk: 'USER',
});
export const usernameOfIdKey = (userId: string): Key => ({
  pk: `USERID#${userId}`,
  sk: 'USERID',
});
export const emailKey = (email: string): Key => ({
  pk: `EMAIL#${email}`,
  sk: 'EMAIL',
});
export const userListKey = (username: string): Key => ({
  pk: 'USERS',
  sk: username,
});
export const activeAdminsKey: Key = { pk: 'ADMINS', sk: 'ADMINS' };

export const tokenKey = (tokenId: string): Key => ({
  pk: `TOKEN#${tokenId}`,
  sk: 'TOKEN',
});
/** Names of tokens are free text: U+0001 sorts `ci` before `ci 2`, which `#` would not. */
export const tokenListKey = (userId: string, name: string, tokenId: string): Key => ({
  pk: `ACCOUNT#${userId}`,
  sk: `TOKEN#${name}\u0001${tokenId}`,
});

export const workspaceNameKey = (name: string): Key => ({
  pk: 'WORKSPACES',
  sk: name,
});
export const workspaceKey = (workspaceId: string): Key => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: 'WORKSPACE',
});
export const repositoryCountKey = (workspaceId: string, share: number): Key => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `COUNT#${String(share).padStart(3, '0')}`,
});

export const membershipKey = (workspaceId: string, userId: string): Key => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `MEMBER#${userId}`,
});
export const memberNameKey = (workspaceId: string, username: string): Key => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `MEMBERNAME#${username}`,
});
export const workspaceOfUserKey = (userId: string, workspaceName: string, workspaceId: string): Key => ({
  pk: `ACCOUNT#${userId}`,
  sk: `WORKSPACE#${workspaceName}#${workspaceId}`,
});

export const repositoryKey = (workspaceId: string, repositoryId: string): Key => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `REPOSITORY#${repositoryId}`,
});
export const repositoryNameKey = (workspaceId: string, name: string): Key => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `REPOSITORYNAME#${name}`,
});

export const sweepKey = (workspaceId: string): Key => ({
  pk: 'SWEEP',
  sk: workspaceId,
});

/** One text per key, to compare keys and to index what was read. */
export const keyText = ({ pk, sk }: Key): string => `${pk}\n${sk}`;
