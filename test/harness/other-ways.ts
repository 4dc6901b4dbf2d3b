import { addMemberToRepositories, addWorkspaceMember } from '../../functions/members/contracts.ts';
import {
  createRemoteRepository,
  createVirtualRepository,
  deleteRepository,
  updateRepository,
} from '../../functions/repositories/contracts.ts';
import { updateUser } from '../../functions/users/contracts.ts';
import { deleteWorkspace } from '../../functions/workspaces/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { LooseInput } from './client.ts';
import type { Fixture } from './fixture.ts';
import { createVirtual } from './repositories.ts';
import type { Service } from './service.ts';
import { type Named, newPassword, uniqueName, type World } from './world.ts';

type Request = Pick<LooseInput, 'params' | 'query' | 'body'>;

/** Makes a request on a fixture, and before it whatever the request uses up. */
export type Make = (fixture: Fixture) => Promise<Request>;

/** The repositories of a batch, made once per workspace. */
const made = new Map<string, Promise<Named[]>>();

const hundredOf = async (world: World, workspace: Named): Promise<Named[]> => {
  const repositories = made.get(workspace.id) ?? world.repositories(workspace, 100);
  made.set(workspace.id, repositories);
  return repositories;
};

/** Requests that take another way through their use case than the plain one. */
export const otherWays = (service: Service): readonly (readonly [Contract, Make])[] => [
  [
    addMemberToRepositories,
    async ({ world, workspace, targetUser }) => {
      const repositories = (await hundredOf(world, workspace)).map(({ id }, index) => ({
        repositoryReference: id,
        repositoryPermissionLevel: index % 2 ? 'canView' : 'canManage',
      }));
      await world.member(workspace, 'admin', targetUser);
      await world.member(workspace, 'member', targetUser);
      return { params: { workspace: workspace.id }, body: { userId: targetUser.userId, repositories } };
    },
  ],
  [
    addWorkspaceMember,
    async ({ world, workspace, repository, targetUser }) => {
      await world.member(workspace, 'member', targetUser);
      await world.grant(workspace, repository, targetUser, 'canManage');
      return { params: { workspace: workspace.id }, body: { userId: targetUser.userId, role: 'admin' } };
    },
  ],
  [
    createRemoteRepository,
    async ({ workspace }) => ({
      params: { workspace: workspace.name },
      body: {
        name: uniqueName(),
        packageType: 'npm',
        remoteRepositoryUrl: 'https://registry.npmjs.org/',
        remoteRepositoryPassword: newPassword(),
        isRemoteCacheEnabled: true,
      },
    }),
  ],
  [
    createVirtualRepository,
    async ({ world, workspace, repository }) => {
      const remote = await world.remoteRepository(workspace);
      const childRepositoryIds = [remote.id, repository.id];
      const upload = { uploadLocalRepositoryId: repository.id };
      const body = { name: uniqueName(), packageType: 'npm', childRepositoryIds, ...upload };
      return { params: { workspace: workspace.id }, body };
    },
  ],
  [
    updateRepository,
    async ({ world, workspace, repository }) => {
      const { id } = await createVirtual(service, workspace, [repository]);
      const other = await world.repository(workspace);
      const body = { childRepositoryIds: [other.id], uploadLocalRepositoryId: other.id };
      return { params: { workspace: workspace.id, repository: id }, body };
    },
  ],
  [
    deleteRepository,
    async ({ workspace, repository }) => {
      const { id } = await createVirtual(service, workspace, [repository]);
      return { params: { workspace: workspace.id, repository: id } };
    },
  ],
  [
    updateUser,
    async ({ world }) => {
      const { userId } = await world.user({ userRole: 'system-admin' });
      return { params: { user: userId }, body: { disabled: true, email: `${uniqueName()}@example.com` } };
    },
  ],
  [
    deleteWorkspace,
    async ({ world }) => {
      const { id, name } = await world.workspace();
      return { body: { workspaceId: id, workspaceName: name } };
    },
  ],
];
