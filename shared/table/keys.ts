import type { PackageType } from '../package-types.ts';
import type { ChangeRecord } from './changes.ts';
import type { Creation } from './creations.ts';
import type { GrantShard } from './identity/grant-shards.ts';
import type { Membership } from './identity/memberships.ts';
import type { PasswordFailures } from './identity/password-failures.ts';
import type { RepositoryCount } from './identity/repository-count.ts';
import type { Session } from './identity/sessions.ts';
import type { Token } from './identity/tokens.ts';
import type { Trust } from './identity/trusts.ts';
import type { User } from './identity/users.ts';
import type { Workspace } from './identity/workspaces.ts';
import type { BlobUpload } from './packages/blob-uploads.ts';
import type { Blob } from './packages/blobs.ts';
import type { OpenUpload, UploadKind } from './packages/open-uploads.ts';
import type { UploadUse } from './packages/upload-uses.ts';
import type { UploadSession } from './packages/uploads.ts';
import type { UsageShard } from './packages/usage.ts';
import type { BlobSweep, ContentSweep } from './queues/content-sweeps.ts';
import type { LooseSweep } from './queues/loose-sweeps.ts';
import type { Sweep } from './queues/sweeps.ts';
import type { Repository } from './repositories/repositories.ts';
import type { Verdicts } from './repositories/verdicts.ts';

declare const held: unique symbol;

/**
 * The key of one item of the table. The type parameter is the type of the item. `#` never occurs in an ID or a name, so no
 * value can form the key of another item.
 *
 * | pk                     | sk                          | item                                                     |
 * |------------------------|-----------------------------|----------------------------------------------------------|
 * | USER#username          | USER                        | the user: signing in with a password takes one read      |
 * | USERID#userId          | USERID                      | userId → username                                        |
 * | EMAIL#address          | EMAIL                       | holds an e-mail address                                  |
 * | USERS                  | username                    | the list of users                                        |
 * | ADMINS                 | ADMINS                      | the number of active System Admins                       |
 * | TOKEN#tokenId          | TOKEN                       | a token of any kind; its ID comes from its hash          |
 * | ACCOUNT#userId         | TOKEN#name\u0001tokenId     | the list of a user's tokens                              |
 * | ACCOUNT#userId         | WORKSPACE#name#workspaceId  | the list of a user's workspaces                          |
 * | SESSION#sessionId      | SESSION                     | the session of a browser; its ID comes from its cookie   |
 * | ACCOUNT#userId         | SESSION#start#sessionId     | the list of a user's sessions                            |
 * | TRUST#trustId          | TRUST                       | a trust in the identity tokens of an issuer              |
 * | WORKSPACES             | name                        | holds a workspace name, name → ID; the list of workspaces |
 * | WORKSPACE#workspaceId  | WORKSPACE                   | the workspace                                            |
 * | WORKSPACE#workspaceId  | COUNT#shard                 | a shard of the number of its repositories                |
 * | WORKSPACE#workspaceId  | MEMBER#userId               | a membership: the role of one user, and the number of grants |
 * | WORKSPACE#workspaceId  | GRANTS#userId#shard         | the grants of one user on a sixteenth of the repositories |
 * | WORKSPACE#workspaceId  | MEMBERNAME#username         | the list of members                                      |
 * | WORKSPACE#workspaceId  | TOKEN#name\u0001tokenId     | the list of the workspace's tokens                       |
 * | WORKSPACE#workspaceId  | TRUSTNAME#name              | holds the name of a trust, name → ID; the list           |
 * | WORKSPACE#workspaceId  | REPOSITORY#repositoryId     | the repository                                           |
 * | WORKSPACE#workspaceId  | REPOSITORYNAME#name         | holds a repository name, name → ID; the list             |
 * | WORKSPACE#workspaceId  | VERDICTS#type               | what its admins decided about packages of a type         |
 * | ADVISORIES#type#name   | PAGE#number                 | what is known about the packages of a name, page by page |
 * | ADVISORYIDS#type#shard | advisoryId                  | on which names an advisory is, and when it last changed  |
 * | ADVISORYFEED#type      | ADVISORYFEED                | the last import of the advisories on a type              |
 * | ADVISORYIMPORT#importId | ADVISORYIMPORT             | an import of advisories                                  |
 * | FAILURES#address       | username                    | wrong passwords of a user from a source address; `#`: of all |
 * | CHECKS#second          | CHECKS                      | the passwords that the service checks in this second     |
 * | CREATION#actorId       | hash of an Idempotency-Key  | what a request of the actor with this key created         |
 * | SWEEP                  | workspaceId                 | a deleted workspace whose memberships are to be removed  |
 * | SWEEPGRANTS            | time#workspaceId#repositoryId | a repository that was deleted then, with its grants to remove |
 * | SWEEPCONTENT           | contentId                   | content whose items are to be removed                    |
 * | SWEEPBLOBS             | time#workspaceId#sha256     | a blob that nothing may refer to when that time comes    |
 * | PACKAGES#contentId     | package                     | the list of a repository's packages                      |
 * | PACKAGE#contentId#name | INDEX                       | a package: its counts, its tags, the snapshot of its index |
 * | PACKAGE#contentId#name | INDEX#changeId, MERGED#hash | what changed in the index since the snapshot; the newest change of a version in it |
 * | PACKAGE#contentId#name | VERSION#version             | a version, or the tombstone of one                       |
 * | PACKAGE#contentId#name | FILE#version#file           | a file of a version, or the tombstone of one             |
 * | PACKAGE#contentId#name | FILE##file                  | a file that belongs to no version                        |
 * | PACKAGE#contentId#name | SIZE#shard                  | a shard of the bytes of those files                      |
 * | PACKAGE#contentId#name | TAG#tag                     | a tag, in a package type with thousands of them          |
 * | PACKAGE#contentId#name | CACHE#document              | a document of the upstream, in a remote repository       |
 * | PACKAGE#contentId#name | MISSING#version#file        | that the upstream of a remote repository has no such file |
 * | PACKAGE#contentId#name | FETCH#version#file          | which request or worker fetches this file from the upstream |
 * | PACKAGE#contentId#name | FETCH#document              | which worker fetches this document from the upstream     |
 * | INDEX#contentId        | INDEX, INDEX#changeId       | the index of a whole repository, as that of a package    |
 * | UPSTREAM#contentId     | UPSTREAM                    | until when no request goes to this upstream              |
 * | BLOB#workspaceId#sha256 | BLOB                       | the bytes of files, and the number of references         |
 * | SWEEPLOOSE             | time#contentId#package      | a package whose files of no version may be unneeded then |
 * | BLOBUPLOAD#uploadId    | BLOBUPLOAD                  | a blob that a client sends in several requests           |
 * | UPLOAD#uploadId        | UPLOAD                      | an upload session: files that a user is about to publish |
 * | OPENUPLOADS#workspaceId | actorId#kind#slot         | an upload that an actor has begun, and its bytes         |
 * | REFERENCE#referenceId  | REFERENCE                   | that a signed reference to a staged body was used        |
 * | USAGE#scope            | USAGE#shard                 | a shard of the bytes and files of a workspace or content |
 * | AUDIT#scope            | RECORD#inverted time#writeId | the record of a change in a workspace; SYSTEM: in none  |
 *
 * `contentId` is the ID of the repository until it is emptied. Emptying gives it a new one, which makes the old items unreachable.
 */
export interface Key<T = unknown> {
  readonly pk: string;
  readonly sk: string;
  readonly [held]?: T;
}

/** The item under one key. */
export type Item = Key & Readonly<Record<string, unknown>>;

/** A list: the items of one partition whose sort keys have a common prefix, in the order of the rest of the keys. */
export interface ListKey<T = unknown> {
  readonly pk: string;
  readonly prefix: string;
  /** Set for a list in an index, which is not consistent: it serves lists, and decides nothing. */
  readonly index?: 'records';
  readonly [held]?: T;
}

/** The item of a name or of a list. The item that it stands for is stored under the ID. */
export interface Entry {
  readonly id: string;
}

/** The entry of a repository, with the fields that the filters of the list need. */
type RepositoryEntry = Entry & Pick<Repository, 'packageType' | 'repositoryType'>;

/** The item under a key, with the type that the key gives it. Stored data gets its types only here. */
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
export const tokensOfWorkspaceList = (workspaceId: string): ListKey<Entry> => listIn(workspaceId, 'TOKEN#');
/** The name of a token is any text. U+0001 sorts `ci` before `ci 2`, and `#` would not. */
export const tokenListKey = (list: ListKey<Entry>, name: string, tokenId: string): Key<Entry> =>
  keyIn(list, `${name}\u0001${tokenId}`);

export const sessionKey = (sessionId: string): Key<Session> => ({ pk: `SESSION#${sessionId}`, sk: 'SESSION' });
export const sessionsOfUserList = (userId: string): ListKey<Entry> => ({
  pk: `ACCOUNT#${userId}`,
  prefix: 'SESSION#',
});
export const sessionEntryKey = ({ userId, createdAt, sessionId }: Session): Key<Entry> =>
  keyIn(sessionsOfUserList(userId), `${createdAt}#${sessionId}`);

/** Without a username, of all users together. */
export const passwordFailuresKey = (sourceAddress: string, username = '#'): Key<PasswordFailures> => ({
  pk: `FAILURES#${sourceAddress}`,
  sk: username,
});

export const passwordChecksKey = (second: number): Key => ({ pk: `CHECKS#${second}`, sk: 'CHECKS' });

/** Under the hash of the Idempotency-Key of an actor. */
export const creationKey = (actorId: string, keyHash: string): Key<Creation> => ({
  pk: `CREATION#${actorId}`,
  sk: keyHash,
});

export const workspacesList: ListKey<Entry> = { pk: 'WORKSPACES', prefix: '' };
export const workspaceNameKey = (name: string): Key<Entry> => keyIn(workspacesList, name);
export const workspaceKey = (workspaceId: string): Key<Workspace> => ({ pk: partition(workspaceId), sk: 'WORKSPACE' });
export const repositoryCountKey = (workspaceId: string, shard: number): Key<RepositoryCount> => ({
  pk: partition(workspaceId),
  sk: `COUNT#${String(shard).padStart(3, '0')}`,
});

export const membershipsList = (workspaceId: string): ListKey<Membership> => listIn(workspaceId, 'MEMBER#');
export const membershipKey = (workspaceId: string, userId: string): Key<Membership> =>
  keyIn(membershipsList(workspaceId), userId);
export const grantShardsList = (workspaceId: string, userId?: string): ListKey<GrantShard> =>
  listIn(workspaceId, userId === undefined ? 'GRANTS#' : `GRANTS#${userId}#`);
export const grantShardKey = (workspaceId: string, userId: string, shard: string): Key<GrantShard> =>
  keyIn(grantShardsList(workspaceId, userId), shard);
export const membersList = (workspaceId: string): ListKey<Entry> => listIn(workspaceId, 'MEMBERNAME#');
export const memberNameKey = (workspaceId: string, username: string): Key<Entry> =>
  keyIn(membersList(workspaceId), username);
export const trustKey = (trustId: string): Key<Trust> => ({ pk: `TRUST#${trustId}`, sk: 'TRUST' });
export const trustsList = (workspaceId: string): ListKey<Entry> => listIn(workspaceId, 'TRUSTNAME#');
export const trustNameKey = (workspaceId: string, name: string): Key<Entry> => keyIn(trustsList(workspaceId), name);
export const workspacesOfUserList = (userId: string): ListKey<Entry> => ({
  pk: `ACCOUNT#${userId}`,
  prefix: 'WORKSPACE#',
});
export const workspaceOfUserKey = (userId: string, workspaceName: string, workspaceId: string): Key<Entry> =>
  keyIn(workspacesOfUserList(userId), `${workspaceName}#${workspaceId}`);
export const repositoryKey = (workspaceId: string, repositoryId: string): Key<Repository> =>
  keyIn(listIn(workspaceId, 'REPOSITORY#'), repositoryId);
export const repositoriesList = (workspaceId: string): ListKey<RepositoryEntry> =>
  listIn(workspaceId, 'REPOSITORYNAME#');
export const repositoryNameKey = (workspaceId: string, name: string): Key<RepositoryEntry> =>
  keyIn(repositoriesList(workspaceId), name);
export const verdictsList = (workspaceId: string): ListKey<Verdicts> => listIn(workspaceId, 'VERDICTS#');
export const verdictsKey = (workspaceId: string, packageType: PackageType): Key<Verdicts> =>
  keyIn(verdictsList(workspaceId), packageType);

export const sweepsList: ListKey<Sweep> = { pk: 'SWEEP', prefix: '' };
export const sweepKey = (workspaceId: string): Key<Sweep> => keyIn(sweepsList, workspaceId);

export const blobKey = (workspaceId: string, sha256: string): Key<Blob> => ({
  pk: `BLOB#${workspaceId}#${sha256}`,
  sk: 'BLOB',
});
export const uploadKey = (uploadId: string): Key<UploadSession> => ({ pk: `UPLOAD#${uploadId}`, sk: 'UPLOAD' });
export const uploadUseKey = (referenceId: string): Key<UploadUse> => ({
  pk: `REFERENCE#${referenceId}`,
  sk: 'REFERENCE',
});
export const blobUploadKey = (uploadId: string): Key<BlobUpload> => ({
  pk: `BLOBUPLOAD#${uploadId}`,
  sk: 'BLOBUPLOAD',
});
export const usageList = (scope: string): ListKey<UsageShard> => ({ pk: `USAGE#${scope}`, prefix: 'USAGE#' });
export const usageKey = (scope: string, shard: number): Key<UsageShard> =>
  keyIn(usageList(scope), String(shard).padStart(3, '0'));
export const openUploadsList = (workspaceId: string): ListKey<OpenUpload> => ({
  pk: `OPENUPLOADS#${workspaceId}`,
  prefix: '',
});
export const actorUploadsList = (workspaceId: string, actorId: string, kind: UploadKind): ListKey<OpenUpload> => ({
  pk: `OPENUPLOADS#${workspaceId}`,
  prefix: `${actorId}#${kind}#`,
});
export const openUploadKey = (workspaceId: string, actorId: string, kind: UploadKind, slot: number): Key<OpenUpload> =>
  keyIn(actorUploadsList(workspaceId, actorId, kind), String(slot));
export const grantSweepsList: ListKey<object> = { pk: 'SWEEPGRANTS', prefix: '' };
export const grantSweepKey = (deletedAt: string, workspaceId: string, repositoryId: string): Key<object> =>
  keyIn(grantSweepsList, `${deletedAt}#${workspaceId}#${repositoryId}`);
export const contentSweepsList: ListKey<ContentSweep> = { pk: 'SWEEPCONTENT', prefix: '' };
export const contentSweepKey = (contentId: string): Key<ContentSweep> => keyIn(contentSweepsList, contentId);
export const blobSweepsList: ListKey<BlobSweep> = { pk: 'SWEEPBLOBS', prefix: '' };
export const blobSweepKey = (dueAt: string, workspaceId: string, sha256: string): Key<BlobSweep> =>
  keyIn(blobSweepsList, `${dueAt}#${workspaceId}#${sha256}`);
export const looseSweepsList: ListKey<LooseSweep> = { pk: 'SWEEPLOOSE', prefix: '' };
export const looseSweepKey = (dueAt: string, contentId: string, name: string): Key<LooseSweep> =>
  keyIn(looseSweepsList, `${dueAt}#${contentId}#${name}`);

/** Without an ID: the records that concern no workspace. */
export const recordsList = (workspaceId: string): ListKey<ChangeRecord> => ({
  pk: `AUDIT#${workspaceId || 'SYSTEM'}`,
  prefix: 'RECORD#',
});
export const recordKey = (workspaceId: string, position: string): Key<ChangeRecord> =>
  keyIn(recordsList(workspaceId), position);

const partition = (workspaceId: string): string => `WORKSPACE#${workspaceId}`;
const listIn = <T>(workspaceId: string, prefix: string): ListKey<T> => ({ pk: partition(workspaceId), prefix });
export const keyIn = <T>({ pk, prefix }: ListKey<T>, position: string): Key<T> => ({ pk, sk: `${prefix}${position}` });

/** A key as one text, to compare keys and to index items. */
export const keyText = ({ pk, sk }: Key): string => `${pk}\n${sk}`;
