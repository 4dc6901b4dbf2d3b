import fc from 'fast-check';
import { listUsers, updateUser } from '../../functions/users/contracts.ts';
import { Table } from '../../shared/table/client.ts';
import { activeAdminsKey } from '../../shared/table/keys.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { roundsOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import type { Actor } from '../harness/world.ts';

const service = useService();

const patch = async (by: Actor, user: Actor, body: Record<string, unknown>) =>
  service.client.attempt(updateUser, { params: { user: user.userId }, body, as: by.bearer });

interface Listed {
  readonly userId: string;
  readonly userRole: string;
  readonly disabled: boolean;
}

const activeAdmins = async (by: Actor): Promise<string[]> => {
  const { text } = await service.client.call(listUsers, { as: by.bearer });
  const users = JSON.parse(text) as Listed[];
  return users.filter(({ userRole, disabled }) => userRole === 'system-admin' && !disabled).map(({ userId }) => userId);
};

const counted = async () => (await new Table().read([activeAdminsKey])).find(activeAdminsKey)?.count;

/** The one active system admin there is: all others are demoted. */
const soleAdmin = async (): Promise<Actor> => {
  const sole = await service.world.systemAdmin();
  for (const userId of await activeAdmins(sole))
    if (userId !== sole.userId)
      await service.client.call(updateUser, { params: { user: userId }, body: { userRole: 'user' }, as: sole.bearer });
  expect(await activeAdmins(sole)).toEqual([sole.userId]);
  return sole;
};

describe('The last active system admin', () => {
  itAnswers(
    '409 LAST_SYSTEM_ADMIN for demoting or disabling the only one, and nothing of the patch is done',
    async () => {
      const sole = await soleAdmin();
      const bodies = [
        { userRole: 'user' },
        { disabled: true },
        { userRole: 'user', disabled: true, firstName: 'A' },
        { userRole: 'user', email: `${service.world.name()}@example.com` },
      ];
      const answers = await Promise.all(bodies.map((body) => patch(sole, sole, body)));
      expect(await activeAdmins(sole)).toEqual([sole.userId]);
      return answers;
    },
  );

  itAnswers('409 LAST_SYSTEM_ADMIN when the other system admins are disabled', async () => {
    const sole = await soleAdmin();
    const other = await service.world.user({ userRole: 'system-admin' });
    await patch(sole, other, { disabled: true });
    return patch(sole, sole, { userRole: 'user' });
  });

  it('counts right in every combination of role and disabling', async () => {
    const sole = await soleAdmin();
    const users = [await service.world.user(), await service.world.user({ userRole: 'system-admin' })];
    const change = fc.record(
      {
        who: fc.nat(users.length - 1),
        userRole: fc.constantFrom('user', 'system-admin'),
        disabled: fc.boolean(),
      },
      { requiredKeys: ['who'] },
    );
    await fc.assert(
      fc.asyncProperty(change, async ({ who, ...body }) => {
        expect((await patch(sole, users[who] as Actor, body)).status).toBe(200);
        expect(await counted()).toBe((await activeAdmins(sole)).length);
      }),
      { numRuns: roundsOf(40) },
    );
  });

  it('keeps one of two who demote or disable each other at once', async () => {
    const [one, two] = [await soleAdmin(), await service.world.user({ userRole: 'system-admin' })];
    for (let round = 0; round < roundsOf(24); round += 1) {
      service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
      const body = round % 3 === 0 ? { disabled: true } : { userRole: 'user' };
      const answers = await Promise.all([patch(one, two, body), patch(two, one, body)]);
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      const [winner, loser] = answers[0]?.status === 200 ? [one, two] : [two, one];
      expect(await activeAdmins(winner)).toEqual([winner.userId]);
      expect(await counted()).toBe(1);
      // Who was changed before the own request was read is refused as what one is then; after it, by the count.
      const refusal = answers.find(({ status }) => status !== 200)?.code;
      expect(['LAST_SYSTEM_ADMIN', 'FORBIDDEN', 'UNAUTHENTICATED']).toContain(refusal);
      expect((await patch(winner, loser, { disabled: false, userRole: 'system-admin' })).status).toBe(200);
    }
    service.proxy.conflictsLikeDynamoDb = false;
    expect((await patch(one, two, { userRole: 'user' })).status).toBe(200);
  });

  it('lets three of four step down who do so at once', async () => {
    const sole = await soleAdmin();
    const admins = [sole];
    while (admins.length < 4) admins.push(await service.world.user({ userRole: 'system-admin' }));
    const answers = await Promise.all(admins.map((admin) => patch(admin, admin, { userRole: 'user' })));
    expect(answers.map(({ code }) => code).filter(Boolean)).toEqual(['LAST_SYSTEM_ADMIN']);
    const left = admins[answers.findIndex(({ status }) => status === 409)] as Actor;
    expect(await counted()).toBe(1);
    expect((await patch(left, sole, { userRole: 'system-admin' })).status).toBe(200);
  });

  it('moves the count once when requests that say the same meet, and when replies of the table are lost', async () => {
    const sole = await soleAdmin();
    const other = await service.world.user({ userRole: 'system-admin' });
    const third = await service.world.user({ userRole: 'system-admin' });
    service.proxy.inject({ fault: 'commit-then-drop', operation: 'TransactWriteItems', times: 2 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => patch(sole, other, { disabled: true })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await counted()).toBe(2);
    await patch(sole, third, { userRole: 'user' });
    expect(await counted()).toBe(1);
  });
});
