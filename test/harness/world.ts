import { randomBytes } from 'node:crypto';
import { addRepositoryMember, addWorkspaceMember } from '../../functions/members/contracts.ts';
import { createLocalRepository, createRemoteRepository } from '../../functions/repositories/contracts.ts';
import { deletePersonalAccessToken } from '../../functions/tokens/contracts.ts';
import { updateUser } from '../../functions/users/contracts.ts';
import { createWorkspace } from '../../functions/workspaces/contracts.ts';
import type { PermissionLevel, UserRole, WorkspaceRole } from '../../shared/access.ts';
import { hashPassword } from '../../shared/auth/passwords.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { insertToken } from '../../shared/table/tokens.ts';
import { findUserByName, insertUser } from '../../shared/table/users.ts';
import { inBatches } from './batches.ts';
import type { Client } from './client.ts';
import { accountHeader, bearerHeader, tokenHeader } from './credentials.ts';
import { inTable } from './patience.ts';
import { secretMark } from './secrets.ts';

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

/** A name that nothing else has; legal for workspaces, repositories and users. */
export const uniqueName = (prefix = 'n'): string => `${prefix}-${randomBytes(6).toString('hex')}`;

/** A password that is recognised wherever it comes out. */
export const newPassword = (): string => `${secretMark}:${randomBytes(6).toString('hex')}ü`;

/** The first system admin, as the service is started with. */
export const firstAdmin = { username: 'admin', password: newPassword() };

const atOnceMax = 16;

/**
 * Builds the smallest world that a test needs: users and their tokens through the table layer, because every suite needs
 * some and each sign-in with a password takes 50 ms, and all else through the API.
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
    const password = newPassword();
    const passwordHash = await hashPassword(password);
    const user = await inTable((table) => insertUser(table, { username, passwordHash, userRole }));
    if (typeof user === 'string') throw new Error(`No user ${username}: ${user}`);
    return this.actor(user.userId, username, password);
  }

  /** Another token of a user, perhaps one that has expired: the API makes none, so it is stored directly. */
  async token(
    { userId, username }: Pick<Actor, 'userId' | 'username'>,
    expirationDate: string | null = null,
  ): Promise<{ token: string; tokenId: string }> {
    const token = newToken();
    const { tokenId } = await inTable((table) =>
      insertToken(table, token, { userId, username, name: 'ci', expirationDate }),
    );
    return { token, tokenId };
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
    const { bearer } = await this.systemAdmin();
    return this.client.succeed(createWorkspace, { body: { name }, as: bearer });
  }

  /** A user with a role in a workspace: a new one, unless given. */
  async member(workspace: Named, role: WorkspaceRole = 'member', user?: Actor): Promise<Actor> {
    const [actor, { bearer }] = await Promise.all([user ?? this.user(), this.systemAdmin()]);
    const body = { userId: actor.userId, role };
    await this.client.succeed(addWorkspaceMember, { params: { workspace: workspace.id }, body, as: bearer });
    return actor;
  }

  /** Grants a member a level on a repository. */
  async grant(workspace: Named, repository: Named, { userId }: Actor, level: PermissionLevel): Promise<void> {
    const { bearer } = await this.systemAdmin();
    await this.client.succeed(addRepositoryMember, {
      params: { workspace: workspace.id, repository: repository.id },
      body: { userId, repositoryPermissionLevel: level },
      as: bearer,
    });
  }

  async repository(workspace: Named, name = uniqueName('repo'), packageType: PackageType = 'npm'): Promise<Named> {
    const { bearer } = await this.systemAdmin();
    const body = { name, packageType };
    return this.client.succeed(createLocalRepository, { params: { workspace: workspace.id }, body, as: bearer });
  }

  /** Many local repositories. */
  repositories(workspace: Named, count: number): Promise<Named[]> {
    return inBatches(Array.from({ length: count }), atOnceMax, () => this.repository(workspace));
  }

  async remoteRepository(workspace: Named, name = uniqueName('remote')): Promise<Named> {
    const { bearer } = await this.systemAdmin();
    const remoteRepositoryUrl = 'https://registry.npmjs.org/';
    const body = { name, packageType: 'npm', remoteRepositoryUrl, isRemoteCacheEnabled: true } as const;
    return this.client.succeed(createRemoteRepository, { params: { workspace: workspace.id }, body, as: bearer });
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
