import { everyUser, systemAdmins, workspaceAdmins } from '../harness/callers.ts';
import type { Adaptation, FactsOf, Make } from '../harness/endpoint-facts.ts';

const createdToken: Adaptation = (created) => ({
  params: { tokenId: String(created['tokens/create-personal-access-token']) },
});

/** A rotation leaves the token that it creates: the deletion is about that one. */
const rotatedToken: Adaptation = (created) => ({
  params: { tokenId: String(created['tokens/rotate-personal-access-token']) },
});

const createdWorkspaceToken: Adaptation = (created) => ({
  params: { tokenId: String(created['tokens/create-workspace-token']) },
});

const rotatedWorkspaceToken: Adaptation = (created) => ({
  params: { tokenId: String(created['tokens/rotate-workspace-token']) },
});

const storedWorkspaceToken: Make = async ({ world, workspace }) => {
  const { tokenId } = await world.workspaceToken(workspace, 'canView');
  return { params: { tokenId } };
};

export const tokens: FactsOf<'tokens'> = {
  'tokens/create-personal-access-token': {
    answers: everyUser('201'),
    cost: 'change',
    released: () => ({ body: { name: 'another' } }),
  },
  'tokens/list-personal-access-tokens': {
    answers: everyUser('200'),
    cost: 'page',
    released: ({ actors }) => ({
      expected: expect.arrayContaining([expect.objectContaining({ id: actors.admin.tokenId })]),
    }),
  },
  'tokens/list-user-personal-access-tokens': {
    answers: systemAdmins('200'),
    cost: 'page',
    released: ({ actors: { viewer } }) => ({
      params: { user: viewer.username },
      expected: expect.arrayContaining([expect.objectContaining({ id: viewer.tokenId })]),
    }),
  },
  'tokens/get-personal-access-token': {
    answers: systemAdmins('200', '404 TOKEN_NOT_FOUND'),
    cost: 'item',
    request: async ({ targetUser }) => ({ params: { tokenId: targetUser.tokenId } }),
    released: ({ actors: { viewer } }) => ({
      params: { tokenId: viewer.tokenId },
      expected: { id: viewer.tokenId },
    }),
    examples: [createdToken],
  },
  'tokens/delete-personal-access-token': {
    answers: systemAdmins('200', '404 TOKEN_NOT_FOUND'),
    cost: 'end of a token',
    request: async ({ world, targetUser }) => {
      const { tokenId } = await world.token(targetUser);
      return { params: { tokenId } };
    },
    released: ({ actors }) => ({ params: { tokenId: actors.viewer.tokenId } }),
    examples: [rotatedToken],
  },
  'tokens/rotate-personal-access-token': {
    answers: systemAdmins('201', '404 TOKEN_NOT_FOUND'),
    cost: 'creation',
    request: async ({ world, systemAdmin }) => ({
      params: { tokenId: (await world.token(systemAdmin)).tokenId },
      body: {},
    }),
    otherWays: [
      async ({ world, systemAdmin }) => ({
        params: { tokenId: (await world.token(systemAdmin)).tokenId },
        body: { overlapSeconds: 60 },
      }),
    ],
    released: ({ actors }) => ({ params: { tokenId: actors.admin.tokenId }, body: { overlapSeconds: 60 } }),
    examples: [createdToken],
  },
  'tokens/create-workspace-token': {
    answers: workspaceAdmins('201'),
    cost: 'creation',
    request: async () => ({ body: { name: 'another', repositoryPermissionLevel: 'canView' } }),
    otherWays: [
      async ({ repository }) => ({
        body: {
          name: 'another',
          repositories: [{ repositoryReference: repository.id, repositoryPermissionLevel: 'canDeploy' }],
        },
      }),
    ],
    released: ({ workspaces, repositories }) => ({
      params: { workspace: workspaces.full.name },
      body: {
        name: 'another',
        repositories: [{ repositoryReference: repositories.local.name, repositoryPermissionLevel: 'canDeploy' }],
      },
    }),
  },
  'tokens/list-workspace-tokens': {
    answers: workspaceAdmins('200'),
    cost: 'page',
    request: async (fixture) => {
      await Promise.all([storedWorkspaceToken(fixture), storedWorkspaceToken(fixture)]);
      return {};
    },
    released: ({ workspaces }) => ({ params: { workspace: workspaces.full.name }, expected: [] }),
  },
  'tokens/get-workspace-token': {
    answers: workspaceAdmins('200'),
    cost: 'item',
    request: storedWorkspaceToken,
    released: 'about what no release has stored',
    examples: [rotatedWorkspaceToken],
  },
  'tokens/delete-workspace-token': {
    answers: workspaceAdmins('200'),
    cost: 'change',
    request: storedWorkspaceToken,
    released: 'about what no release has stored',
    examples: [rotatedWorkspaceToken],
  },
  'tokens/rotate-workspace-token': {
    answers: workspaceAdmins('201'),
    cost: 'creation',
    request: async (fixture) => ({ ...(await storedWorkspaceToken(fixture)), body: {} }),
    otherWays: [async (fixture) => ({ ...(await storedWorkspaceToken(fixture)), body: { overlapSeconds: 60 } })],
    released: 'about what no release has stored',
    examples: [createdWorkspaceToken],
  },
};
