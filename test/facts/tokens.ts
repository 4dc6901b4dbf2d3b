import { everyUser, systemAdmins } from '../harness/callers.ts';
import type { Adaptation, FactsOf } from '../harness/endpoint-facts.ts';

const createdToken: Adaptation = (created) => ({
  params: { tokenId: String(created['tokens/create-personal-access-token']) },
});

export const tokens: FactsOf<'tokens'> = {
  'tokens/create-personal-access-token': {
    answers: everyUser('201'),
    calls: 2,
    units: [2, 6],
    released: () => ({ body: { name: 'another' } }),
  },
  'tokens/list-personal-access-tokens': {
    answers: everyUser('200'),
    calls: 3,
    units: [5, 0],
    released: ({ actors }) => ({
      expected: expect.arrayContaining([expect.objectContaining({ id: actors.admin.tokenId })]),
    }),
  },
  'tokens/list-user-personal-access-tokens': {
    answers: systemAdmins('200'),
    calls: 3,
    units: [5, 0],
    released: ({ actors: { viewer } }) => ({
      params: { user: viewer.username },
      expected: expect.arrayContaining([expect.objectContaining({ id: viewer.tokenId })]),
    }),
  },
  'tokens/get-personal-access-token': {
    answers: systemAdmins('200', '404 TOKEN_NOT_FOUND'),
    calls: 1,
    units: [3, 0],
    request: async ({ targetUser }) => ({ params: { tokenId: targetUser.tokenId } }),
    released: ({ actors: { viewer } }) => ({
      params: { tokenId: viewer.tokenId },
      expected: { id: viewer.tokenId },
    }),
    examples: [createdToken],
  },
  'tokens/delete-personal-access-token': {
    answers: systemAdmins('200', '404 TOKEN_NOT_FOUND'),
    calls: 2,
    units: [3, 6],
    request: async ({ world, targetUser }) => {
      const { tokenId } = await world.token(targetUser);
      return { params: { tokenId } };
    },
    released: ({ actors }) => ({ params: { tokenId: actors.viewer.tokenId } }),
    examples: [createdToken],
  },
};
