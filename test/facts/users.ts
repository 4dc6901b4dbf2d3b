import { updateUser } from '../../functions/users/contracts.ts';
import { everyUser, systemAdmins } from '../harness/callers.ts';
import type { FactsOf } from '../harness/endpoint-facts.ts';
import { newPassword, uniqueName } from '../harness/world.ts';

const newEmail = (): string => `${uniqueName()}@example.com`;

export const users: FactsOf<'users'> = {
  'users/create-user': {
    answers: systemAdmins('201'),
    cost: 'creation',
    released: () => ({ body: { username: uniqueName(), password: newPassword(), userRole: 'system-admin' } }),
  },
  'users/list-users': {
    answers: systemAdmins('200'),
    cost: 'page',
    released: ({ actors }) => ({
      expected: expect.arrayContaining(
        Object.values(actors).map(({ username }) => expect.objectContaining({ username })),
      ),
    }),
  },
  'users/get-user': {
    answers: systemAdmins('200'),
    cost: 'item',
    released: ({ actors }) => ({
      params: { user: actors.viewer.username },
      expected: { userId: actors.viewer.userId, firstName: 'Robin', lastName: 'Ng' },
    }),
  },
  'users/get-current-user': {
    answers: everyUser('200'),
    // A process that does not know the workspaces lists them, and reads them.
    cost: 'access',
    released: ({ actors }) => ({ expected: { userId: actors.admin.userId } }),
  },
  'users/update-user': {
    answers: systemAdmins('200'),
    cost: 'change',
    // A name that the user does not have: a change that changes nothing writes nothing.
    request: async () => ({ body: { firstName: uniqueName() } }),
    otherWays: [
      async ({ world }) => {
        const { userId } = await world.user({ userRole: 'system-admin' });
        return { params: { user: userId }, body: { disabled: true, email: newEmail() } };
      },
      async ({ client, systemAdmin, targetUser }) => {
        const params = { user: targetUser.userId };
        await client.succeed(updateUser, { params, body: { email: newEmail() }, as: systemAdmin.bearer });
        return { params, body: { email: null } };
      },
    ],
    released: ({ actors }) => ({
      params: { user: actors.viewer.userId },
      body: { email: newEmail(), firstName: null, userRole: 'system-admin', password: newPassword() },
      expected: { userRole: 'system-admin', lastName: 'Ng' },
    }),
  },
};
