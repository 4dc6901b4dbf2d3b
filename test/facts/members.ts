import { repositoryManagers, workspaceAdmins, workspaceMembers } from '../harness/callers.ts';
import type { Adaptation, FactsOf, Make, ReleasedRequest } from '../harness/endpoint-facts.ts';
import type { Named, World } from '../harness/world.ts';

const inFull: ReleasedRequest = ({ workspaces }) => ({ params: { workspace: workspaces.full.name } });
const onLocal: ReleasedRequest = ({ workspaces, repositories }) => ({
  params: { workspace: workspaces.full.id, repository: repositories.local.name },
});
const createdUser: Adaptation = (created) => ({ body: { userId: created['users/create-user'] } });

const grantTarget: Make = async ({ world, workspace, repository, targetUser }) => {
  await world.grant(workspace, repository, targetUser, 'canView');
  return {};
};

/** The repositories of a batch, made once per workspace. */
const made = new Map<string, Promise<Named[]>>();

const hundredOf = async (world: World, workspace: Named): Promise<Named[]> => {
  const repositories = made.get(workspace.id) ?? world.repositories(workspace, 100);
  made.set(workspace.id, repositories);
  return repositories;
};

export const members: FactsOf<'members'> = {
  'members/add-workspace-member': {
    answers: workspaceAdmins('200'),
    cost: 'file', // the role stays
    otherWays: [
      async ({ world, workspace, repository, targetUser }) => {
        await world.member(workspace, 'member', targetUser);
        await world.grant(workspace, repository, targetUser, 'canManage');
        return { body: { userId: targetUser.userId, role: 'admin' } };
      },
    ],
    released: (world) => ({
      ...inFull(world),
      body: { userId: world.actors.viewer.userId, role: 'admin' },
      expected: { username: world.actors.viewer.username, role: 'admin' },
    }),
    examples: [createdUser],
  },
  'members/list-workspace-members': {
    answers: workspaceMembers('200'),
    cost: 'page',
    released: (world) => ({
      ...inFull(world),
      expected: expect.arrayContaining([
        expect.objectContaining({ username: world.actors.workspaceAdmin.username, role: 'admin' }),
      ]),
    }),
  },
  'members/get-workspace-member': {
    answers: workspaceMembers('200'),
    cost: 'item',
    released: ({ workspaces, actors: { workspaceAdmin } }) => ({
      params: { workspace: workspaces.full.name, user: workspaceAdmin.username },
      expected: { userId: workspaceAdmin.userId, role: 'admin' },
    }),
  },
  'members/remove-workspace-member': {
    answers: workspaceAdmins('200'),
    // The membership is three items, and 16 shards of grants go with it.
    cost: 'end of a membership',
    request: async ({ world, workspace, targetUser }) => {
      await world.member(workspace, 'member', targetUser);
      return {};
    },
    released: ({ workspaces, actors }) => ({
      params: { workspace: workspaces.full.name, user: actors.manager.username },
    }),
  },
  'members/add-repository-member': {
    answers: workspaceAdmins('201'),
    cost: 'change',
    request: async ({ world, workspace, targetUser }) => {
      const { id } = await world.repository(workspace);
      // Without any grant, so that the shard of this one is always new.
      await world.member(workspace, 'admin', targetUser);
      await world.member(workspace, 'member', targetUser);
      return { params: { repository: id }, body: { userId: targetUser.userId } };
    },
    // The viewer has a grant, so it is changed.
    released: (world) => ({
      ...onLocal(world),
      body: { userId: world.actors.viewer.userId, repositoryPermissionLevel: 'canDeploy' },
      expected: { repositoryName: world.repositories.local.name, repositoryPermissionLevel: 'canDeploy' },
    }),
    examples: [createdUser],
  },
  'members/add-member-to-repositories': {
    answers: workspaceAdmins('200'),
    cost: 'change',
    request: async (fixture) => {
      // A grant that is there already with this level would change nothing.
      await grantTarget(fixture);
      const { targetUser, repository } = fixture;
      const repositories = [{ repositoryReference: repository.id, repositoryPermissionLevel: 'canDeploy' }];
      return { body: { userId: targetUser.userId, repositories } };
    },
    otherWays: [
      async ({ world, workspace, targetUser }) => {
        const repositories = (await hundredOf(world, workspace)).map(({ id }, index) => ({
          repositoryReference: id,
          repositoryPermissionLevel: index % 2 ? 'canView' : 'canManage',
        }));
        await world.member(workspace, 'admin', targetUser);
        await world.member(workspace, 'member', targetUser);
        return { body: { userId: targetUser.userId, repositories } };
      },
    ],
    released: (world) => ({
      ...inFull(world),
      body: {
        userId: world.actors.viewer.userId,
        repositories: [
          { repositoryReference: world.repositories.local.name, repositoryPermissionLevel: 'canManage' },
          { repositoryReference: world.repositories.outer.id, repositoryPermissionLevel: 'canView' },
        ],
      },
    }),
    examples: [createdUser],
  },
  'members/list-repository-members': {
    answers: repositoryManagers('200'),
    // All six members with a shard of their grants each: who of them has one on the repository is known only then.
    cost: 'page of grants',
    request: async () => ({ query: { limit: 1000 } }),
    released: (world) => ({
      ...onLocal(world),
      expected: expect.arrayContaining([expect.objectContaining({ userId: world.actors.viewer.userId })]),
    }),
  },
  'members/get-repository-member': {
    answers: repositoryManagers('200'),
    cost: 'file',
    request: grantTarget,
    released: (world) => ({
      params: { ...onLocal(world).params, user: world.actors.viewer.username },
      expected: { userId: world.actors.viewer.userId, repositoryPermissionLevel: 'canView' },
    }),
  },
  'members/remove-repository-member': {
    answers: workspaceAdmins('200'),
    cost: 'change',
    request: grantTarget,
    released: (world) => ({ params: { ...onLocal(world).params, user: world.actors.viewer.userId } }),
  },
};
