import { randomUUID } from 'node:crypto';
import { deletePersonalAccessToken } from '../../functions/tokens/contracts.ts';
import { updateUser } from '../../functions/users/contracts.ts';
import type { PermissionLevel, UserRole, WorkspaceRole } from '../../shared/access.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { insertToken, type TokenLimits } from '../../shared/table/identity/tokens.ts';
import { findUserByName } from '../../shared/table/identity/users.ts';
import { insertWorkspaceToken } from '../../shared/table/identity/workspace-tokens.ts';
import type { Client } from './client.ts';
import { inBatches } from './concurrency.ts';
import { accountHeader, bearerHeader, hashOf, newPassword, tokenHeader, userPassword } from './credentials.ts';
import { inTable } from './retry.ts';
import { insertGrants } from './stored-grants.ts';
import {
  insertMember,
  insertNewRepository,
  insertNewUser,
  insertNewWorkspace,
  storedWorkspace,
  uniqueName,
} from './stored-items.ts';

export { newPassword, uniqueName };

/** A user who can call, with a value of the Authorization header for each form of credential. */
export interface Actor {
  readonly userId: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly tokenId: string;
  readonly bearer: string;
  readonly tokenAsPassword: string;
  readonly account: string;
}

/** A workspace or a repository of the world. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The first system admin. */
export const firstAdmin = { username: 'admin', password: userPassword() };

const atOnceMax = 16;

/**
 * Builds the smallest world that a test needs, through the table layer: every suite needs some, and each function that a
 * request starts takes 100 ms. What changes users goes through the API.
 */
export class World {
  private readonly client: Client;
  private administrator: Promise<Actor> | undefined;

  constructor(client: Client) {
    this.client = client;
  }

  name(prefix?: string): string {
    return uniqueName(prefix);
  }

  /** The first system admin, who builds the world. */
  systemAdmin(): Promise<Actor> {
    this.administrator ??= this.findAdministrator();
    return this.administrator;
  }

  /** A new user with a password and a token. */
  async user({ userRole = 'user', username = uniqueName('user') }: { userRole?: UserRole; username?: string } = {}) {
    const password = userPassword();
    const { userId } = await insertNewUser({ username, passwordHash: await hashOf(password), userRole });
    return this.actor(userId, username, password);
  }

  /** Another token of a user, perhaps with limits, or one that has expired: the API makes none, so it is stored directly. */
  async token(
    { userId, username }: Pick<Actor, 'userId' | 'username'>,
    expirationDate: string | null = null,
    limits?: TokenLimits,
  ): Promise<{ token: string; tokenId: string }> {
    const token = newToken();
    const { tokenId } = await inTable((table) =>
      insertToken(table, token, { userId, username, name: 'ci', expirationDate, limits }),
    );
    return { token, tokenId };
  }

  /** A token of a workspace; the level counts on the given repositories, or on all of them. */
  async workspaceToken(
    { id: workspaceId }: Named,
    level: PermissionLevel,
    repositories?: readonly Named[],
  ): Promise<{ token: string; tokenId: string; bearer: string }> {
    const token = newToken('workspace');
    const grants = repositories
      ? { repositories: Object.fromEntries(repositories.map(({ id }) => [id, level])) }
      : { level };
    const { userId: createdBy } = await this.systemAdmin();
    const stored = await inTable((table) =>
      insertWorkspaceToken(table, token, { workspaceId, name: 'pipeline', expirationDate: null, createdBy, grants }),
    );
    if (stored === 'workspace gone') throw new Error(`There is no workspace ${workspaceId}.`);
    return { token, tokenId: stored.tokenId, bearer: bearerHeader(token) };
  }

  async revoke({ tokenId, account }: Actor): Promise<void> {
    await this.client.succeed(deletePersonalAccessToken, { params: { tokenId }, as: account });
  }

  async disable({ userId }: Actor): Promise<void> {
    const { bearer } = await this.systemAdmin();
    await this.client.succeed(updateUser, { params: { user: userId }, body: { disabled: true }, as: bearer });
  }

  async changePassword({ userId }: Actor): Promise<void> {
    const { bearer } = await this.systemAdmin();
    await this.client.succeed(updateUser, { params: { user: userId }, body: { password: newPassword() }, as: bearer });
  }

  async workspace(name = uniqueName('ws')): Promise<Named> {
    const { workspaceId: id } = await insertNewWorkspace(name);
    return { id, name };
  }

  /** A user with a role in a workspace: a new one, unless given. */
  async member(workspace: Named, role: WorkspaceRole = 'member', user?: Actor): Promise<Actor> {
    const [actor, stored] = await Promise.all([user ?? this.user(), storedWorkspace(workspace.id)]);
    const { userId, username } = actor;
    await insertMember(stored, { userId, username, role });
    return actor;
  }

  /** Grants a member a level on a repository. */
  async grant(workspace: Named, repository: Named, { userId }: Actor, level: PermissionLevel): Promise<void> {
    await insertGrants(workspace.id, userId, [{ repositoryId: repository.id, level }]);
  }

  async repository(workspace: Named, name = uniqueName('repo'), packageType: PackageType = 'npm'): Promise<Named> {
    const [stored, { userId: createdBy }] = await Promise.all([storedWorkspace(workspace.id), this.systemAdmin()]);
    const fields = { repositoryType: 'local', repositoryId: randomUUID(), name, packageType, createdBy } as const;
    return { id: await insertNewRepository(stored, fields), name };
  }

  /** Many local repositories. */
  repositories(workspace: Named, count: number): Promise<Named[]> {
    return inBatches(Array.from({ length: count }), atOnceMax, () => this.repository(workspace));
  }

  async remoteRepository(workspace: Named, name = uniqueName('remote')): Promise<Named> {
    const [stored, { userId: createdBy }] = await Promise.all([storedWorkspace(workspace.id), this.systemAdmin()]);
    const id = await insertNewRepository(stored, {
      repositoryType: 'remote',
      repositoryId: randomUUID(),
      name,
      packageType: 'npm',
      remoteRepositoryUrl: 'https://registry.npmjs.org/',
      remoteRepositoryUsername: null,
      passwordCiphertext: null,
      isRemoteCacheEnabled: true,
      fileCacheTimeTillRevalidation: null,
      metadataCacheTimeTillRevalidation: null,
      createdBy,
    });
    return { id, name };
  }

  private async findAdministrator(): Promise<Actor> {
    const { username, password } = firstAdmin;
    const user = await inTable((table) => findUserByName(table, username));
    if (!user) throw new Error('The service has no first System Admin.');
    return this.actor(user.userId, username, password);
  }

  private async actor(userId: string, username: string, password: string): Promise<Actor> {
    const { token, tokenId } = await this.token({ userId, username });
    return {
      userId,
      username,
      password,
      token,
      tokenId,
      bearer: bearerHeader(token),
      tokenAsPassword: tokenHeader(token),
      account: accountHeader(username, password),
    };
  }
}
