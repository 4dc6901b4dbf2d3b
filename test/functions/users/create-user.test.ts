import { createUser, getCurrentUser, listUsers } from '../../../functions/users/contracts.ts';
import type { Answer } from '../../harness/client.ts';
import { accountHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { secretMark } from '../../harness/secrets.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const password = `${secretMark} first`;

const create = async (fields: Record<string, unknown> = {}) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.attempt(createUser, {
    body: { username: service.world.name('u'), password, ...fields },
    as: bearer,
  });
};

/** How many answers there are of each kind. One process hashes all the passwords here, so few at once are many. */
const outcomesOf = async (answers: Promise<Answer>[]): Promise<Record<string, number>> => {
  const outcomes: Record<string, number> = {};
  for (const { code = 'created' } of await Promise.all(answers)) outcomes[code] = (outcomes[code] ?? 0) + 1;
  return outcomes;
};

const usernameSentence =
  "username must be 1 to 30 lowercase letters, digits, dots, underscores and hyphens, and not one of the reserved names 'token', 'me', 'personal-access-tokens', '.', '..'.";

const address = () => `${service.world.name('mail')}@example.com`;

describe('POST /1/users', () => {
  itAnswers('201 with the full record, the e-mail address in lower case', async () => {
    const username = service.world.name('u');
    const email = address();
    const fields = { username, email: email.toUpperCase(), firstName: 'Röbin 😀', lastName: 'x'.repeat(30) };
    const answer = await create({ ...fields, userRole: 'system-admin' });
    expect(answer.result).toMatchObject({ ...fields, email, userRole: 'system-admin', disabled: false });
    expect(answer.result?.userId).toBe(answer.result?.id);
    expect(Date.parse(answer.result?.createdAt ?? '')).toBeGreaterThan(Date.now() - 10_000);
    return answer;
  });

  itAnswers('201 with no more than a username and a password: an enabled plain user without names', async () => {
    const answer = await create();
    const absent = { email: null, firstName: null, lastName: null };
    expect(answer.result).toMatchObject({ ...absent, userRole: 'user', disabled: false });
    return answer;
  });

  itAnswers('201 with null where a field is optional', async () =>
    create({ email: null, firstName: null, lastName: null }),
  );

  itAnswers('201 for each legal shape of a username', async () =>
    Promise.all(
      ['a', '-', '_', '0', '...', 'tokens', 'me.', 'personal-access-token', 'x'.repeat(30)].map((username) =>
        create({ username }),
      ),
    ),
  );

  itAnswers('400 REQUEST_INVALID for each username that breaks the rule', async () => {
    const reserved = ['token', 'me', 'personal-access-tokens', '.', '..'];
    const names = [
      ...reserved,
      '',
      'A',
      'a b',
      'a\n',
      'a#b',
      'a:b',
      'a/b',
      'é',
      'аnna',
      'x'.repeat(31),
      1,
      null,
      ['a'],
    ];
    const answers = await Promise.all(names.map((username) => create({ username })));
    for (const { problem } of answers)
      expect(problem?.violations).toEqual([
        expect.objectContaining({ pointer: '/username', message: usernameSentence }),
      ]);
    return answers;
  });

  itAnswers(
    '201 for passwords of 8 and of 400 characters, which then open the door exactly as they were sent',
    async () => {
      const passwords = [
        `${secretMark.slice(0, 3)}:  5 `,
        '😀'.repeat(400),
        'pass\u0000wörd',
        'e\u0301e\u0301e\u0301e\u0301',
        '::::::::',
      ];
      return Promise.all(
        passwords.map(async (text) => {
          const answer = await create({ password: text });
          const username = answer.result?.username ?? '';
          const me = await service.client.call(getCurrentUser, { as: accountHeader(username, text) });
          const trimmed = await service.client.call(getCurrentUser, { as: accountHeader(username, `${text} `) });
          const composed = await service.client.call(getCurrentUser, {
            as: accountHeader(username, text.normalize('NFC')),
          });
          expect([me.status, trimmed.status, composed.status === 200]).toEqual([
            200,
            401,
            text === text.normalize('NFC'),
          ]);
          return answer;
        }),
      );
    },
  );

  itAnswers('400 REQUEST_INVALID for each password that breaks the rule', async () =>
    Promise.all(
      ['', 'x'.repeat(7), '😀'.repeat(7), 'x'.repeat(401), 12345678, null].map((text) => create({ password: text })),
    ),
  );

  itAnswers('201 for each legal shape of an e-mail address', async () => {
    const unique = service.world.name('m');
    const longest = `${unique.padEnd(64, 'x')}@${'d'.repeat(255)}`;
    return Promise.all(
      [`${unique}@a`, `"${unique}"@localhost`, `${unique}+tag@example.com`, longest].map((email) => create({ email })),
    );
  });

  itAnswers('400 REQUEST_INVALID for each e-mail address that breaks the rule', async () => {
    const addresses = [
      '',
      'a',
      '@b',
      'a@',
      'a@b@c',
      'a b@c',
      'a@b\n',
      'a@b\u0000',
      'ä@b',
      `${'x'.repeat(64)}@${'d'.repeat(256)}`,
      1,
    ];
    const answers = await Promise.all(addresses.map((email) => create({ email })));
    for (const { problem } of answers)
      expect(problem?.violations).toEqual([expect.objectContaining({ pointer: '/email' })]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID with every violation at once', async () => {
    const answer = await create({
      username: 'A',
      password: 'short',
      firstName: 'x'.repeat(31),
      lastName: 1,
      userRole: 'root',
      disabled: false,
    });
    const pointers = answer.problem?.violations.map(({ pointer }) => pointer).toSorted();
    expect(pointers).toEqual(['/disabled', '/firstName', '/lastName', '/password', '/userRole', '/username']);
    return answer;
  });

  itAnswers('409 USERNAME_TAKEN when a user has the name', async () => {
    const username = service.world.name('u');
    await create({ username });
    const answer = await create({ username, email: address() });
    expect(answer.problem?.detail).toBe(`A user named '${username}' already exists.`);
    return answer;
  });

  itAnswers('409 EMAIL_TAKEN when a user has the e-mail address, in whichever letter case', async () => {
    const email = address();
    await create({ email });
    return [await create({ email }), await create({ email: email.toUpperCase() })];
  });

  itAnswers('403 FORBIDDEN for a user who is no system admin, whatever the body', async () => {
    const { bearer } = await service.world.user();
    return Promise.all(
      [{ username: 'u', password }, { zip: 1 }].map((body) => service.client.attempt(createUser, { body, as: bearer })),
    );
  });

  it('lets one of 12 concurrent creates of a username win', async () => {
    const username = service.world.name('u');
    expect(await outcomesOf(Array.from({ length: 12 }, () => create({ username })))).toEqual({
      created: 1,
      USERNAME_TAKEN: 11,
    });
  });

  it('lets one of 12 concurrent creates with an e-mail address win', async () => {
    const email = address();
    expect(await outcomesOf(Array.from({ length: 12 }, () => create({ email })))).toEqual({
      created: 1,
      EMAIL_TAKEN: 11,
    });
  });

  itAnswers('201 with one user when the reply of the table is lost', async () => {
    const username = service.world.name('u');
    service.proxy.inject({ fault: 'commit-then-drop', operation: 'TransactWriteItems', times: 1 });
    const answer = await create({ username, email: address() });
    const { bearer } = await service.world.systemAdmin();
    const users = await service.client.call(listUsers, { as: bearer });
    const names = users.result?.map((user) => user.username) ?? [];
    expect(names.filter((name) => name === username)).toHaveLength(1);
    return answer;
  });

  it('asks the table twice: one read, one transaction', async () => {
    await create();
    service.proxy.forget();
    await create();
    expect(service.proxy.callsOf('users/create-user').map(({ operation }) => operation)).toEqual([
      'BatchGetItem',
      'TransactWriteItems',
    ]);
  });
});
