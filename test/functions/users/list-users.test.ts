import { createUser, listUsers } from '../../../functions/users/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { insertUser } from '../../../shared/table/identity/users.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { cursorOf, nextQuery } from '../../harness/pages.ts';
import { secretMark } from '../../harness/secrets.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

const list = async (query: Record<string, string | number> = {}) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.attempt(listUsers, { query, as: bearer });
};

const namesOf = ({ text }: { text: string }) =>
  (JSON.parse(text) as { username: string }[]).map(({ username }) => username);

/** Users whose password nobody knows: hashing one for each would take most of the test. */
const populate = async (count: number) => {
  const fields = {
    passwordHash: '',
    userRole: 'user',
    email: undefined,
    firstName: undefined,
    lastName: undefined,
  } as const;
  const one = async () => insertUser(new Table(), { ...fields, username: service.world.name('many') });
  for (let done = 0; done < count; done += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - done) }, one));
};

describe('GET /1/users', () => {
  itAnswers('200 with a bare array in the order of names, complete right after a create', async () => {
    const { bearer } = await service.world.systemAdmin();
    for (const username of ['a-b', 'a.b', 'a_b', 'a', 'ab', 'z0', '0'].toReversed()) {
      await service.client.call(createUser, { body: { username, password: `${secretMark} x` }, as: bearer });
      expect(namesOf(await list())).toContain(username);
    }
    const answer = await list();
    const names = namesOf(answer);
    expect(names).toEqual(names.toSorted());
    expect(answer.headers.link).toBeUndefined();
    return answer;
  });

  it('walks 320 users in pages of each size and sees each one once', async () => {
    await populate(320);
    const all = namesOf(await list());
    for (const limit of [1000, 319, 100, 37]) {
      const walked: string[] = [];
      for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
        const page = await list(cursor === undefined ? { limit } : { limit, cursor });
        expect(namesOf(page).length).toBeLessThanOrEqual(limit);
        walked.push(...namesOf(page));
        cursor = nextQuery(page)?.cursor;
      }
      expect(walked).toEqual(all);
    }
    expect((await list({ limit: all.length })).headers.link).toBeUndefined();
  });

  itAnswers('400 REQUEST_INVALID for the cursor of another caller, and for what is no cursor', async () => {
    await populate(2);
    const cursor = cursorOf(await list({ limit: 1 }));
    const { bearer } = await service.world.user({ userRole: 'system-admin' });
    const foreign = await service.client.attempt(listUsers, { query: { limit: 1, cursor }, as: bearer });
    return [foreign, await list({ cursor: cursor.slice(1) }), await list({ cursor: 'x' }), await list({ cursor: '' })];
  });

  itAnswers('400 REQUEST_INVALID for each limit that breaks the rule, and for unknown parameters', async () =>
    Promise.all(
      [{ limit: 0 }, { limit: 1001 }, { limit: -1 }, { limit: 'x' }, { limit: '1.0' }, { page: 1 }].map((query) =>
        list(query as never),
      ),
    ),
  );

  itAnswers('403 FORBIDDEN for a user who is no system admin, also with a bad query', async () => {
    const { bearer } = await service.world.user();
    return Promise.all([{}, { limit: 0 }].map((query) => service.client.attempt(listUsers, { query, as: bearer })));
  });

  it('asks the table by pages, not by users', async () => {
    await populate(30);
    await list();
    service.proxy.forget();
    await list({ limit: 20 });
    expect(service.proxy.callsOf('users/list-users').map(({ operation }) => operation)).toEqual([
      'BatchGetItem',
      'Query',
      'BatchGetItem',
    ]);
  });
});
