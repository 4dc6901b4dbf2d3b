import { getCurrentUser, getUser, updateUser } from '../../../functions/users/contracts.ts';
import { hashPassword } from '../../../shared/auth/passwords.ts';
import { Table } from '../../../shared/table/client.ts';
import { insertUser, type User } from '../../../shared/table/identity/users.ts';
import type { Answer } from '../../harness/client.ts';
import { accountHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { newPassword } from '../../harness/world.ts';

const service = useService();

const get = async (user: string, as: string) => service.client.call(getUser, { params: { user }, as });
const getAsAdmin = async (user: string) => get(user, (await service.world.systemAdmin()).bearer);
const unknownId = '00000000-0000-4000-8000-000000000000';

/** What a caller sees of an answer, less the request's own id. */
const loaded = ({ text, headers, status }: Answer) => {
  const { date: _, 'x-request-id': requestId, 'x-amzn-requestid': __, ...others } = headers;
  return { status, text: text.replaceAll(String(requestId), ''), headers: others };
};

describe('GET /1/users/{user}', () => {
  itAnswers('200 for a system admin, by ID in either letter case and by username', async () => {
    const { userId, username } = await service.world.user();
    const answers = await Promise.all([userId, userId.toUpperCase(), username].map(getAsAdmin));
    for (const { result } of answers) expect(result).toMatchObject({ id: userId, userId, username });
    return answers;
  });

  itAnswers('200 for oneself, by ID in either letter case and by username', async () => {
    const { userId, username, bearer } = await service.world.user();
    const answers = await Promise.all([userId, userId.toUpperCase(), username].map((user) => get(user, bearer)));
    for (const { result } of answers) expect(result).toMatchObject({ id: userId, username });
    return answers;
  });

  itAnswers('403 FORBIDDEN for another user, with the same bytes whether there is one or not', async () => {
    const { bearer } = await service.world.user();
    const other = await service.world.user();
    const references = [other.userId, other.username, unknownId, 'nobody', 'A', '#', 'x'.repeat(3_000)];
    const answers = await Promise.all(references.map((user) => get(user, bearer)));
    for (const answer of answers) expect(loaded(answer)).toEqual(loaded(answers[0] as Answer));
    return answers;
  });

  itAnswers('404 USER_NOT_FOUND for a system admin when there is no such user', async () =>
    Promise.all([unknownId, 'nobody', 'token', 'A', '#', 'a b', 'x'.repeat(3_000)].map(getAsAdmin)),
  );

  itAnswers('200 for users whose names were not reserved when they were created, who still sign in', async () => {
    const password = newPassword();
    const passwordHash = await hashPassword(password);
    const answers = [];
    for (const username of ['me', 'personal-access-tokens', '.', '..']) {
      const user = await insertUser(new Table(), { username, passwordHash, userRole: 'user' });
      const { userId } = user as User;
      const as = accountHeader(username, password);
      expect((await service.client.call(getCurrentUser, { as })).result).toMatchObject({ userId, username });
      const body = { firstName: 'Robin' };
      expect((await service.client.call(updateUser, { params: { user: userId }, body, as })).status).toBe(200);
      const answer = await getAsAdmin(userId);
      expect(answer.result).toMatchObject({ username, ...body });
      answers.push(answer);
    }
    return answers;
  });

  it('asks the table once, for all that it needs', async () => {
    const { userId, username } = await service.world.user();
    for (const user of [userId, username]) {
      await getAsAdmin(user);
      service.proxy.forget();
      await getAsAdmin(user);
      expect(service.proxy.callsOf('users/get-user').map(({ operation }) => operation)).toEqual(['BatchGetItem']);
    }
  });
});
