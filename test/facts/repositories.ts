import { randomUUID } from 'node:crypto';
import { Table } from '../../shared/table/client.ts';
import { inlineGrantsMax } from '../../shared/table/identity/grants.ts';
import { usageKey } from '../../shared/table/keys.ts';
import { repositoryViewers, workspaceAdmins, workspaceMembers } from '../harness/callers.ts';
import type { Adaptation, FactsOf, ReleasedRequest } from '../harness/endpoint-facts.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { insertGrants } from '../harness/stored-grants.ts';
import { newPassword, uniqueName } from '../harness/world.ts';

const remote = { packageType: 'npm', remoteRepositoryUrl: 'https://registry.npmjs.org/', isRemoteCacheEnabled: true };

const inFull: ReleasedRequest = ({ workspaces }) => ({ params: { workspace: workspaces.full.name } });
const on =
  (repository: string): Adaptation =>
  () => ({ params: { repository } });

export const repositories: FactsOf<'repositories'> = {
  'repositories/create-local-repository': {
    answers: workspaceAdmins('201'),
    cost: 'creation',
    released: (world) => ({ ...inFull(world), body: { packageType: 'npm', name: uniqueName() } }),
  },
  'repositories/create-remote-repository': {
    answers: workspaceAdmins('201'),
    cost: 'creation',
    otherWays: [
      async ({ workspace }) => ({
        params: { workspace: workspace.name },
        body: { ...remote, name: uniqueName(), remoteRepositoryPassword: newPassword() },
      }),
    ],
    released: (world) => ({
      ...inFull(world),
      body: { ...remote, name: uniqueName(), remoteRepositoryPassword: newPassword() },
    }),
  },
  'repositories/create-virtual-repository': {
    answers: workspaceAdmins('201'),
    cost: 'creation',
    request: async ({ repository }) => ({
      body: { name: uniqueName(), packageType: 'npm', childRepositoryIds: [repository.id] },
    }),
    otherWays: [
      async ({ world, workspace, repository }) => {
        const { id } = await world.remoteRepository(workspace);
        const children = { childRepositoryIds: [id, repository.id], uploadLocalRepositoryId: repository.id };
        return { body: { name: uniqueName(), packageType: 'npm', ...children } };
      },
    ],
    released: (world) => {
      const { outer, local } = world.repositories;
      return {
        ...inFull(world),
        body: { packageType: 'npm', name: uniqueName(), childRepositoryIds: [outer.id, local.id] },
        expected: { childRepositories: [outer, local] },
      };
    },
    examples: [
      (created) => {
        const local = created['repositories/create-local-repository'];
        return { body: { childRepositoryIds: [local], uploadLocalRepositoryId: local } };
      },
    ],
  },
  'repositories/list-repositories': {
    answers: workspaceMembers('200'),
    cost: 'page',
    released: (world) => ({
      ...inFull(world),
      expected: expect.arrayContaining(Object.values(world.repositories).map((each) => expect.objectContaining(each))),
    }),
  },
  'repositories/list-member-repositories': {
    answers: workspaceAdmins('200'),
    cost: 'own page',
    request: async ({ world, workspace, repository, targetUser }) => {
      await world.member(workspace, 'member', targetUser);
      await world.grant(workspace, repository, targetUser, 'canView');
      return {};
    },
    // So many levels are in shards. Repositories that were deleted have left some.
    otherWays: [
      async ({ world, workspace, targetUser }) => {
        await world.member(workspace, 'member', targetUser);
        const ids = Array.from({ length: inlineGrantsMax + 1 }, () => randomUUID());
        const grants = ids.map((repositoryId) => ({ repositoryId, level: 'canView' as const }));
        await insertGrants(workspace.id, targetUser.userId, grants);
        return {};
      },
    ],
    released: (world) => ({
      params: { ...inFull(world).params, user: world.actors.viewer.username },
      expected: expect.arrayContaining([
        expect.objectContaining({ repositoryId: world.repositories.local.id, repositoryPermissionLevel: 'canView' }),
      ]),
    }),
  },
  'repositories/get-repository': {
    answers: repositoryViewers('200'),
    cost: 'access',
    released: ({ workspaces, repositories: { inner, local, remote: other } }) => ({
      params: { workspace: workspaces.full.id, repository: inner.name },
      expected: { ...inner, childRepositories: [local, other], uploadTargetLocalRepository: local },
    }),
  },
  'repositories/update-repository': {
    answers: workspaceAdmins('200'),
    cost: 'change',
    request: async ({ world, workspace }) => {
      const { id } = await world.remoteRepository(workspace);
      return { params: { repository: id }, body: { isRemoteCacheEnabled: false } };
    },
    otherWays: [
      async (fixture) => {
        const { id } = await createRemote(fixture, fixture.workspace);
        return { params: { repository: id }, body: { remoteRepositoryPassword: newPassword() } };
      },
      // What was cached of another upstream, and its usage, is left.
      async (fixture) => {
        const { id } = await createRemote(fixture, fixture.workspace);
        const usage = { bytes: 1, files: 1, packages: 1 };
        await new Table().writeUnrecorded([{ put: { ...usageKey(id, 0), ...usage } }]);
        return { params: { repository: id }, body: { remoteRepositoryUrl: 'https://two.example/npm/' } };
      },
      // What the changed repository goes on to list must not change meanwhile; what it lists now must be told.
      async (fixture) => {
        const { world, workspace, repository } = fixture;
        const inner = await createVirtual(fixture, workspace, [repository]);
        const { id } = await createVirtual(fixture, workspace, [inner]);
        const other = await world.repository(workspace);
        const body = { childRepositoryIds: [inner.id, other.id], uploadLocalRepositoryId: other.id };
        return { params: { repository: id }, body };
      },
    ],
    released: ({ workspaces, repositories: { remote: changed } }) => ({
      params: { workspace: workspaces.full.id, repository: changed.id },
      body: { remoteRepositoryUrl: 'https://elsewhere.example/npm/' },
      expected: { hasRemoteRepositoryPassword: false, remoteRepositoryUrl: 'https://elsewhere.example/npm/' },
    }),
    examples: [on('npmjs')],
  },
  'repositories/delete-repository': {
    answers: workspaceAdmins('200'),
    // What it stores counts no more.
    cost: 'emptying',
    request: async ({ world, workspace }) => {
      const { id } = await world.repository(workspace);
      return { params: { repository: id } };
    },
    otherWays: [
      async (fixture) => {
        const { id } = await createVirtual(fixture, fixture.workspace, [fixture.repository]);
        return { params: { repository: id } };
      },
    ],
    released: ({ workspaces, repositories: { outer } }) => ({
      params: { workspace: workspaces.full.id, repository: outer.name },
    }),
    examples: [on('npm'), on('npmjs'), () => ({})],
  },
};
