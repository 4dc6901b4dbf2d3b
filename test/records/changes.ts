import {
  addMemberToRepositories,
  addWorkspaceMember,
  removeRepositoryMember,
  removeWorkspaceMember,
} from '../../functions/members/contracts.ts';
import { deleteContent } from '../../functions/packages/contracts.ts';
import {
  createLocalRepository,
  createRemoteRepository,
  createVirtualRepository,
  deleteRepository,
  updateRepository,
} from '../../functions/repositories/contracts.ts';
import {
  createPersonalAccessToken,
  createWorkspaceToken,
  deletePersonalAccessToken,
  rotatePersonalAccessToken,
} from '../../functions/tokens/contracts.ts';
import { createUser, updateUser } from '../../functions/users/contracts.ts';
import { createWorkspace, deleteWorkspaceByReference, updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { permissionLevels } from '../../shared/access.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { LooseInput } from '../harness/client.ts';
import { numbersFrom } from '../harness/sampling.ts';
import type { Service } from '../harness/service.ts';
import { newPassword, uniqueName } from '../harness/world.ts';

/** What exists, as far as the generator knows: others may have deleted it, and the service then refuses. */
interface Known {
  readonly users: string[];
  readonly tokens: string[];
  readonly workspaces: string[];
  readonly repositories: { readonly id: string; readonly workspace: string; readonly type: string }[];
}

/** Makes random changes through the API, each of which may be refused. Returns how many of them succeeded. */
export class RandomChanges {
  private readonly service: Pick<Service, 'client'>;
  private readonly as: string;
  private readonly below: (bound: number) => number;
  private readonly known: Known = { users: [], tokens: [], workspaces: [], repositories: [] };
  succeeded = 0;

  constructor(service: Pick<Service, 'client'>, as: string, seed: number) {
    this.service = service;
    this.as = as;
    this.below = numbersFrom(seed);
  }

  private one<T>(of: readonly T[]): T | undefined {
    return of[this.below(Math.max(of.length, 1))];
  }

  private async send(contract: Contract, input: LooseInput): Promise<{ readonly id?: string } | undefined> {
    const { status, text, result } = await this.service.client.attempt(contract, { ...input, as: this.as });
    if (status >= 500) throw new Error(`${contract.id} answered ${status}: ${text}`);
    if (status < 300) this.succeeded += 1;
    return status < 300 ? (result as { readonly id?: string }) : undefined;
  }

  /** Makes one change. */
  async make(): Promise<void> {
    const { known } = this;
    const [user, workspace, repository] = [
      this.one(known.users),
      this.one(known.workspaces),
      this.one(known.repositories),
    ];
    if (user === undefined || this.below(25) === 0) return this.makeUser();
    if (workspace === undefined || this.below(15) === 0) return this.makeWorkspace();
    if (repository === undefined || this.below(6) === 0) return this.makeRepository(workspace);
    const ofRepository = { workspace: repository.workspace, repository: repository.id };
    const kinds: readonly (() => Promise<unknown>)[] = [
      async () => this.changeUser(user),
      async () => {
        const { id } = (await this.send(createPersonalAccessToken, { body: { name: uniqueName() } })) ?? {};
        if (id !== undefined) known.tokens.push(id);
      },
      async () => this.send(deletePersonalAccessToken, { params: { tokenId: this.one(known.tokens) ?? user } }),
      async () => {
        const params = { tokenId: this.one(known.tokens) ?? user };
        const body = { overlapSeconds: this.one([0, 3_600]) };
        const { id } = (await this.send(rotatePersonalAccessToken, { params, body })) ?? {};
        if (id !== undefined) known.tokens.push(id);
      },
      async () =>
        this.send(createWorkspaceToken, {
          params: { workspace },
          body: { name: uniqueName(), repositoryPermissionLevel: this.one(permissionLevels) },
        }),
      async () =>
        this.send(updateWorkspace, {
          params: { workspace },
          body: { comments: this.one(['', 'Builds']), packageLimit: this.one([null, 10, 20]) },
        }),
      async () => this.send(deleteWorkspaceByReference, { params: { workspace } }),
      ...Array.from({ length: 2 }, () => async () => {
        const of = this.one([workspace, repository.workspace]) ?? workspace;
        const body = { userId: user, role: this.one(['admin', 'member', 'member']) };
        await this.send(addWorkspaceMember, { params: { workspace: of }, body });
      }),
      async () => this.send(removeWorkspaceMember, { params: { workspace: repository.workspace, user } }),
      ...Array.from({ length: 3 }, () => async () => {
        const same = known.repositories.filter((each) => each.workspace === repository.workspace).slice(-5);
        const repositories = same.map(({ id }) => ({
          repositoryReference: id,
          repositoryPermissionLevel: this.one(permissionLevels),
        }));
        const params = { workspace: repository.workspace };
        await this.send(addWorkspaceMember, { params, body: { userId: user, role: 'member' } });
        await this.send(addMemberToRepositories, { params, body: { userId: user, repositories } });
      }),
      async () => this.send(removeRepositoryMember, { params: { ...ofRepository, user } }),
      async () => this.changeRepository(repository),
      async () => this.send(deleteRepository, { params: ofRepository }),
      async () => this.send(deleteContent, { params: ofRepository }),
    ];
    await this.one(kinds)?.();
  }

  private async makeUser(): Promise<void> {
    const username = uniqueName('user');
    const body = { username, password: newPassword(), email: `${username}@example.com` };
    const { id } = (await this.send(createUser, { body })) ?? {};
    if (id !== undefined) this.known.users.push(id);
  }

  private async changeUser(user: string): Promise<void> {
    const change = this.one<object>([
      { firstName: 'Robin', lastName: 'R.' },
      { firstName: null },
      { disabled: this.below(2) === 0 },
      { email: null },
      { email: `${uniqueName()}@example.com` },
      { userRole: this.one(['user', 'system-admin']) },
      { revokeTokens: true },
    ]);
    await this.send(updateUser, { params: { user }, body: change });
  }

  private async makeWorkspace(): Promise<void> {
    const body = { name: uniqueName('ws'), comments: this.one(['', 'Builds']) };
    const { id } = (await this.send(createWorkspace, { body })) ?? {};
    if (id !== undefined) this.known.workspaces.push(id);
  }

  private async makeRepository(workspace: string): Promise<void> {
    const common = { name: uniqueName('repo'), packageType: 'npm' };
    const params = { workspace };
    const children = this.known.repositories.filter((each) => each.workspace === workspace).slice(-3);
    const type = this.one(['local', 'remote', 'virtual']) ?? 'local';
    const requests: Readonly<Record<string, () => Promise<{ readonly id?: string } | undefined>>> = {
      local: async () => this.send(createLocalRepository, { params, body: common }),
      remote: async () =>
        this.send(createRemoteRepository, {
          params,
          body: {
            ...common,
            remoteRepositoryUrl: 'https://registry.npmjs.org/',
            ...(this.below(2) === 0 && { remoteRepositoryPassword: newPassword() }),
          },
        }),
      virtual: async () =>
        this.send(createVirtualRepository, {
          params,
          body: { ...common, childRepositoryIds: children.map(({ id }) => id) },
        }),
    };
    const { id } = (await requests[type]?.()) ?? {};
    if (id !== undefined) this.known.repositories.push({ id, workspace, type });
  }

  private async changeRepository({ id, workspace, type }: Known['repositories'][number]): Promise<void> {
    const others = this.known.repositories.filter((each) => each.workspace === workspace && each.id !== id).slice(-4);
    const change =
      type === 'remote'
        ? this.one<object>([
            { remoteRepositoryPassword: newPassword() },
            { remoteRepositoryPassword: null },
            { remoteRepositoryUrl: `https://${uniqueName()}.example.com/` },
            { isRemoteCacheEnabled: this.below(2) === 0, fileCacheTimeTillRevalidation: this.one([null, 1_000]) },
          ])
        : { childRepositoryIds: others.slice(this.below(3)).map((other) => other.id) };
    await this.send(updateRepository, { params: { workspace, repository: id }, body: change });
  }
}
