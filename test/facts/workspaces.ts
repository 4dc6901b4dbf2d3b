import { everyUser, systemAdmins, systemAdminsIn, workspaceMembers } from '../harness/callers.ts';
import type { FactsOf, ReleasedRequest } from '../harness/endpoint-facts.ts';
import { uniqueName } from '../harness/world.ts';

const ofEmpty: ReleasedRequest = ({ workspaces: { empty } }) => ({ expected: { id: empty.id, name: empty.name } });

export const workspaces: FactsOf<'workspaces'> = {
  'workspaces/create-workspace': {
    answers: systemAdmins('201'),
    cost: 'sharded creation',
    released: ({ workspaces: { deleted } }) => ({ body: { name: deleted.name }, expected: { name: deleted.name } }),
    examples: [() => ({}), () => ({ body: { name: 'acme-2' } })],
  },
  'workspaces/list-workspaces': {
    answers: everyUser('200'),
    // The entries, the workspaces and the caller's own memberships.
    cost: 'own page',
    released: ({ workspaces: { empty, full } }) => ({
      expected: expect.arrayContaining([expect.objectContaining(empty), expect.objectContaining(full)]),
    }),
  },
  'workspaces/get-workspace': {
    answers: workspaceMembers('200'),
    cost: 'counted item',
    released: ({ workspaces: { full } }) => ({
      params: { workspace: full.name },
      expected: { ...full, repositoryCount: 4 },
    }),
  },
  'workspaces/update-workspace': {
    answers: systemAdminsIn('200'),
    cost: 'counted change',
    request: async () => ({ body: { comments: uniqueName() } }),
    released: ({ workspaces: { full } }) => ({
      params: { workspace: full.name },
      body: { comments: 'Builds', packageLimit: 10 },
      expected: { ...full, comments: 'Builds', packageLimit: 10, storageLimitInByte: null },
    }),
  },
  'workspaces/delete-workspace': {
    answers: systemAdmins('200', '401 SYSTEM_ADMIN_REQUIRED'),
    cost: 'sharded creation',
    request: async ({ world }) => {
      const { id } = await world.workspace();
      return { body: { workspaceId: id } };
    },
    otherWays: [
      async ({ world }) => {
        const { id, name } = await world.workspace();
        return { body: { workspaceId: id, workspaceName: name } };
      },
    ],
    released: (world) => {
      const { id, name } = world.workspaces.empty;
      return { ...ofEmpty(world), body: { workspaceId: id, workspaceName: name } };
    },
    examples: [() => ({ body: { workspaceName: 'acme-2' } })],
  },
  'workspaces/delete-workspace-by-reference': {
    answers: systemAdmins('200', '401 SYSTEM_ADMIN_REQUIRED'),
    cost: 'sharded creation',
    request: async ({ world }) => {
      const { id } = await world.workspace();
      return { params: { workspace: id } };
    },
    released: (world) => ({ ...ofEmpty(world), params: { workspace: world.workspaces.empty.name } }),
  },
};
