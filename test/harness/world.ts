import { randomBytes } from 'node:crypto';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { createWorkspace } from '../../functions/workspaces/contracts.ts';
import type { UserRole, WorkspaceRole } from '../../shared/access.ts';
import { hashPassword } from '../../shared/auth/passwords.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { Table } from '../../shared/table/client.ts';
import { insertToken, type Token } from '../../shared/table/tokens.ts';
import { insertUser, type User } from '../../shared/table/users.ts';
import type { Client } from './client.ts';
import { accountHeader, bearerHeader, tokenHeader } from './credentials.ts';
import { insertMembership, removeToken, updateDisabled } from './missing-endpoints.ts';
import { secretMark } from './secrets.ts';

/** A user who can call, with a value of the Authorization header for each form of credential. */
export interface Actor {
  readonly user: User;
  readonly userId: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly tokenId: string;
  readonly bearer: string;
  readonly tokenAsPassword: string;
  readonly account: string;
}

export interface WorldWorkspace {
  readonly id: string;
  readonly name: string;
}

/** Builds the smallest world that a test needs: through the API where it has an endpoint, else through the table layer. */
export class World {
  private readonly client: Client;
  private administrator: Promise<Actor> | undefined;

  constructor(client: Client) {
    this.client = client;
  }

  /** A name that nothing else has; legal for workspaces, repositories and users. */
  name(prefix = 'n'): string {
    return `${prefix}-${randomBytes(6).toString('hex')}`;
  }

  /** The one system admin that builds the world. */
  systemAdmin(): Promise<Actor> {
    this.administrator ??= this.user({ userRole: 'system-admin' });
    return this.administrator;
  }

  /** A user with a password and a token. */
  async user({
    userRole = 'user',
    username = this.name('user'),
  }: {
    userRole?: UserRole;
    username?: string;
  } = {}): Promise<Actor> {
    const password = `${secretMark}:${randomBytes(6).toString('hex')}ü`;
    const passwordHash = await hashPassword(password);
    const fields = { username, passwordHash, userRole, email: undefined, firstName: undefined, lastName: undefined };
    const user = await insertUser(new Table(), fields);
    if (typeof user === 'string') throw new Error(`The user ${username} cannot be created: ${user}.`);
    const { token, tokenId } = await this.token(user);
    return {
      user,
      userId: user.userId,
      username,
      password,
      token,
      tokenId,
      bearer: bearerHeader(token),
      tokenAsPassword: tokenHeader(token),
      account: accountHeader(username, password),
    };
  }

  /** A token of a user, perhaps one that has expired. */
  async token(
    { userId, username }: Pick<User, 'userId' | 'username'>,
    expirationDate: string | null = null,
  ): Promise<{ token: string; tokenId: string }> {
    const token = newToken();
    const { tokenId }: Token = await insertToken(new Table(), token, { userId, username, name: 'ci', expirationDate });
    return { token, tokenId };
  }

  async revoke(actor: Actor): Promise<void> {
    await removeToken(new Table(), actor.tokenId);
  }

  async disable(actor: Actor): Promise<void> {
    await updateDisabled(new Table(), actor.username, true);
  }

  async workspace(name = this.name('ws')): Promise<WorldWorkspace> {
    const { bearer } = await this.systemAdmin();
    return this.client.succeed(createWorkspace, { body: { name }, as: bearer });
  }

  /** A user with a role in a workspace. */
  async member(workspace: WorldWorkspace, role: WorkspaceRole = 'member', user?: Actor): Promise<Actor> {
    const actor = user ?? (await this.user());
    await insertMembership(new Table(), workspace, actor, role);
    return actor;
  }

  async repository(workspace: WorldWorkspace, name = this.name('repo')): Promise<{ id: string; name: string }> {
    const { bearer } = await this.systemAdmin();
    return this.client.succeed(createLocalRepository, {
      params: { workspace: workspace.id },
      body: { name, packageType: 'npm' },
      as: bearer,
    });
  }
}
