import fc from 'fast-check';
import { createSession } from '../../../functions/sessions/contracts.ts';
import {
  createPersonalAccessToken,
  getPersonalAccessToken,
  listPersonalAccessTokens,
} from '../../../functions/tokens/contracts.ts';
import { getCurrentUser, getUser, updateUser } from '../../../functions/users/contracts.ts';
import type { Answer } from '../../harness/client.ts';
import { accountHeader, bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { roundsOf } from '../../harness/sampling.ts';
import { secretMark } from '../../harness/secrets.ts';
import { useService } from '../../harness/service.ts';
import type { Actor } from '../../harness/world.ts';

const service = useService();

const newPassword = `${secretMark} next`;

const patch = async (user: string, body: unknown, as: string) =>
  service.client.attempt(updateUser, { params: { user }, body, as });
const patchAsAdmin = async (user: string, body: unknown) =>
  patch(user, body, (await service.world.systemAdmin()).bearer);
const me = async (as: string) => service.client.call(getCurrentUser, { as });
/** The writes of the endpoint; the authorizer notes the use of a token by itself. */
const writes = () => service.proxy.callsOf('users/update-user').filter(({ isWrite }) => isWrite);
const address = () => `${service.world.name('mail')}@example.com`;

describe('PATCH /1/users/{user}', () => {
  itAnswers('200 for oneself who changes names, by ID, by username and as me', async () => {
    const { userId, username, bearer } = await service.world.user();
    const answers = [];
    for (const reference of [userId, userId.toUpperCase(), username, 'me']) {
      const firstName = service.world.name('f');
      const answer = await patch(reference, { firstName }, bearer);
      expect(answer.result).toMatchObject({ id: userId, username, firstName });
      answers.push(answer);
    }
    return answers;
  });

  it('keeps what is absent, clears what is null and sets the rest, whatever came before', async () => {
    const { userId } = await service.world.user();
    const { bearer } = await service.world.systemAdmin();
    const name = fc.option(fc.string({ unit: 'grapheme', maxLength: 10 }));
    const fields = {
      email: fc.option(fc.stringMatching(/^[a-z0-9]{6,20}@[a-z]{3,9}\.example$/)),
      firstName: name,
      lastName: name,
    };
    const expected: Record<string, unknown> = { email: null, firstName: null, lastName: null };
    await fc.assert(
      fc.asyncProperty(fc.record(fields, { requiredKeys: [] }), async (body) => {
        const { result } = await patch(userId, body, bearer);
        Object.assign(expected, body);
        expect(result).toMatchObject(expected);
        expect((await service.client.call(getUser, { params: { user: userId }, as: bearer })).result).toEqual(result);
      }),
      { numRuns: roundsOf(40) },
    );
  });

  itAnswers(
    '200 without any change for an empty patch and for what is so already, and nothing is written',
    async () => {
      const { userId, username } = await service.world.user();
      await patchAsAdmin(userId, { firstName: 'A' });
      service.proxy.forget();
      const answers = await Promise.all(
        [{}, { firstName: 'A' }, { disabled: false, userRole: 'user', email: null }].map((body) =>
          patchAsAdmin(username, body),
        ),
      );
      expect(writes()).toEqual([]);
      return answers;
    },
  );

  itAnswers('403 FORBIDDEN for another user, whether there is one or not, whatever the body', async () => {
    const { bearer } = await service.world.user();
    const other = await service.world.user();
    service.proxy.forget();
    const answers = await Promise.all(
      [other.userId, other.username, 'nobody'].flatMap((user) =>
        [{ firstName: 'A' }, { zip: 1 }, {}].map((body) => patch(user, body, bearer)),
      ),
    );
    expect(writes()).toEqual([]);
    return answers;
  });

  itAnswers(
    '403 FORBIDDEN for a plain user who sends what only a system admin may change, also unchanged',
    async () => {
      const { bearer } = await service.world.user();
      const bodies = [{ disabled: false }, { userRole: 'user' }, { email: null }, { email: address(), firstName: 'A' }];
      const answers = await Promise.all(bodies.map((body) => patch('me', body, bearer)));
      expect(answers[0]?.problem?.detail).toBe('Only System Admins may change disabled: ask one of them.');
      expect((await me(bearer)).result).toMatchObject({ firstName: null, email: null });
      return answers;
    },
  );

  itAnswers('404 USER_NOT_FOUND for a system admin when there is no such user', async () =>
    Promise.all(
      ['nobody', 'token', '00000000-0000-4000-8000-000000000000'].map((user) => patchAsAdmin(user, { firstName: 'A' })),
    ),
  );

  itAnswers('400 REQUEST_INVALID for each field that breaks its rule, with its name', async () => {
    const { userId } = await service.world.user();
    const bodies = {
      email: ['a', 'a@b@c', ''],
      firstName: ['x'.repeat(31), 1],
      lastName: [['x']],
      password: ['short', null, 'x'.repeat(401)],
      userRole: ['root', null],
      disabled: ['true', null, 0],
      username: ['other'],
      id: [userId],
    };
    const cases = Object.entries(bodies).flatMap(([field, values]) => values.map((value) => ({ field, value })));
    return Promise.all(
      cases.map(async ({ field, value }) => {
        const answer = await patchAsAdmin(userId, { [field]: value });
        expect(answer.problem?.violations).toEqual([expect.objectContaining({ pointer: `/${field}` })]);
        return answer;
      }),
    );
  });

  describe('e-mail addresses', () => {
    itAnswers('409 EMAIL_TAKEN when another user has it, and nothing else of the patch is done', async () => {
      const [one, two] = [await service.world.user(), await service.world.user()];
      const email = address();
      await patchAsAdmin(one.userId, { email });
      const answer = await patchAsAdmin(two.userId, { email: email.toUpperCase(), firstName: 'A', disabled: true });
      expect((await me(two.bearer)).result).toMatchObject({ email: null, firstName: null });
      return answer;
    });

    itAnswers('200 in lower case, and the address before is free at once', async () => {
      const [one, two] = [await service.world.user(), await service.world.user()];
      const [first, second] = [address(), address()];
      await patchAsAdmin(one.userId, { email: first.toUpperCase() });
      const moved = await patchAsAdmin(one.userId, { email: second });
      const taken = await patchAsAdmin(two.userId, { email: first });
      const cleared = await patchAsAdmin(one.userId, { email: null });
      const again = await patchAsAdmin(two.userId, { email: second });
      expect([moved, taken, cleared, again].map(({ result }) => result?.email)).toEqual([second, first, null, second]);
      return [moved, taken, cleared, again];
    });

    it('lets one of 8 users who ask for an address at once have it', async () => {
      const email = address();
      const users = await Promise.all(Array.from({ length: 8 }, () => service.world.user()));
      const answers = await Promise.all(users.map(({ userId }) => patchAsAdmin(userId, { email })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ code }) => code === 'EMAIL_TAKEN')).toHaveLength(7);
    });

    it('leaves no address behind when one user is given many at once', async () => {
      const { userId } = await service.world.user();
      const emails = Array.from({ length: 6 }, address);
      const answers = await Promise.all(emails.map((email) => patchAsAdmin(userId, { email })));
      expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 200));
      const { bearer } = await service.world.systemAdmin();
      const kept = (await service.client.call(getUser, { params: { user: userId }, as: bearer })).result?.email;
      const other = await service.world.user();
      for (const email of emails)
        expect((await patchAsAdmin(other.userId, { email })).status).toBe(email === kept ? 409 : 200);
    });
  });

  describe('passwords', () => {
    itAnswers(
      '400 REQUEST_INVALID for a password of one’s own without the present one, or with a wrong one',
      async () => {
        const user = await service.world.user();
        const admin = await service.world.user({ userRole: 'system-admin' });
        const answers = await Promise.all(
          [user, admin].flatMap(({ userId, bearer }) =>
            [{}, { currentPassword: '' }, { currentPassword: `${secretMark} wrong` }].map((body) =>
              patch(userId, { ...body, password: newPassword, firstName: 'A' }, bearer),
            ),
          ),
        );
        for (const { problem } of answers)
          expect(problem?.violations).toEqual([expect.objectContaining({ pointer: '/currentPassword' })]);
        expect((await me(user.account)).result?.firstName).toBeNull();
        return answers;
      },
    );

    itAnswers(
      '200 for a password of one’s own with the present one; the old one is out on the next request, tokens stay',
      async () => {
        const { userId, username, password, account, bearer } = await service.world.user();
        await me(account);
        const answer = await patch(userId, { password: newPassword, currentPassword: password }, account);
        expect((await me(account)).status).toBe(401);
        expect((await me(accountHeader(username, newPassword))).status).toBe(200);
        expect((await me(bearer)).status).toBe(200);
        return answer;
      },
    );

    itAnswers(
      '200 with revokeTokens, which ends all tokens with the next request, also that of the request',
      async () => {
        const actor = await service.world.user();
        const other = await service.world.user();
        const another = await service.client.succeed(createPersonalAccessToken, {
          body: { name: 'another' },
          as: actor.account,
        });
        const tokens = [actor.bearer, actor.tokenAsPassword, bearerHeader(another.token)];
        expect((await Promise.all(tokens.map(me))).map(({ status }) => status)).toEqual([200, 200, 200]);
        const body = { password: newPassword, currentPassword: actor.password, revokeTokens: true };
        const answer = await patch('me', body, actor.bearer);
        expect((await Promise.all(tokens.map(me))).map(({ status }) => status)).toEqual([401, 401, 401]);
        service.runner.clearAuthorizerCache();
        expect((await Promise.all(tokens.map(me))).map(({ status }) => status)).toEqual([401, 401, 401]);
        const account = accountHeader(actor.username, newPassword);
        expect((await service.client.call(listPersonalAccessTokens, { as: account })).text).toBe('[]');
        const params = { tokenId: another.id };
        expect((await service.client.call(getPersonalAccessToken, { params, as: account })).code).toBe(
          'TOKEN_NOT_FOUND',
        );
        const fresh = await service.client.succeed(createPersonalAccessToken, { body: { name: 'fresh' }, as: account });
        expect((await me(bearerHeader(fresh.token))).status).toBe(200);
        expect((await me(other.bearer)).status).toBe(200);
        return answer;
      },
    );

    itAnswers('200 for a system admin who revokes the tokens of another, whose password stays', async () => {
      const { userId, bearer, account } = await service.world.user();
      const answers = [await patchAsAdmin(userId, { revokeTokens: false })];
      expect((await me(bearer)).status).toBe(200);
      answers.push(await patchAsAdmin(userId, { revokeTokens: true }));
      expect((await me(bearer)).status).toBe(401);
      expect((await me(account)).status).toBe(200);
      return answers;
    });

    itAnswers('400 REQUEST_INVALID in the same bytes for the present password after ten wrong ones', async () => {
      const { userId, password, bearer, account } = await service.world.user();
      service.runner.clearAuthorizerCache();
      const answers: Answer[] = [];
      for (let tries = 0; tries < 10; tries += 1)
        answers.push(await patch(userId, { password: newPassword, currentPassword: `${secretMark} ${tries}` }, bearer));
      answers.push(await patch(userId, { password: newPassword, currentPassword: password }, bearer));
      const bodies = answers.map(({ text, problem }) => text.replaceAll(problem?.requestId ?? '', ''));
      expect([...new Set(bodies)]).toHaveLength(1);
      // The account is limited from this address, too.
      expect((await me(account)).status).toBe(401);
      return answers;
    });

    itAnswers('200 for a system admin who sets the password of another without knowing it', async () => {
      const { userId, username, account } = await service.world.user();
      await me(account);
      const answer = await patchAsAdmin(userId, { password: newPassword });
      expect((await me(account)).status).toBe(401);
      expect((await me(accountHeader(username, newPassword))).status).toBe(200);
      return answer;
    });

    itAnswers('200 for the password that a user has already, which stays valid with its sessions', async () => {
      const { userId, username, password, account } = await service.world.user();
      const { token } = await service.client.succeed(createSession, { body: { username, password } });
      const uses = async () => Promise.all([account, bearerHeader(token)].map(async (as) => (await me(as)).status));
      expect(await uses()).toEqual([200, 200]);
      const answers = [await patch(userId, { password, currentPassword: password, lastName: 'Robin' }, account)];
      expect(await uses()).toEqual([200, 200]);
      answers.push(await patchAsAdmin(userId, { password }));
      expect(await uses()).toEqual([200, 200]);
      expect((await me(account)).result).toMatchObject({ lastName: 'Robin' });
      return answers;
    });

    it('proves the present password to one of two changes at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { userId, username, password, bearer } = await service.world.user();
        const passwords = [`${secretMark} one`, `${secretMark} two`];
        const answers = await Promise.all(
          passwords.map((next) => patch(userId, { password: next, currentPassword: password }, bearer)),
        );
        expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
        const winner = answers.findIndex(({ status }) => status === 200);
        const opens = await Promise.all(passwords.map((next) => me(accountHeader(username, next))));
        expect(opens.map(({ status }) => status)).toEqual(passwords.map((_, at) => (at === winner ? 200 : 401)));
      }
    });

    itAnswers('200 when the reply of the table to a change of one’s own password is lost', async () => {
      const { userId, username, password, bearer } = await service.world.user();
      service.proxy.inject({ fault: 'commit-then-drop', operation: 'TransactWriteItems', times: 1 });
      const answer = await patch(userId, { password: newPassword, currentPassword: password }, bearer);
      expect((await me(accountHeader(username, newPassword))).status).toBe(200);
      return answer;
    });
  });

  describe('disabling', () => {
    it('refuses a disabled user on the next request, by each credential, with the authorizer’s answer remembered', async () => {
      const actor = await service.world.user();
      const forms = [actor.bearer, actor.tokenAsPassword, actor.account];
      expect((await Promise.all(forms.map(me))).map(({ status }) => status)).toEqual([200, 200, 200]);
      await patchAsAdmin(actor.userId, { disabled: true });
      expect((await Promise.all(forms.map(me))).map(({ status }) => status)).toEqual([401, 401, 401]);
      service.runner.clearAuthorizerCache();
      expect((await Promise.all(forms.map(me))).map(({ status }) => status)).toEqual([401, 401, 401]);
      await patchAsAdmin(actor.userId, { disabled: false });
      expect((await Promise.all(forms.map(me))).map(({ status }) => status)).toEqual([200, 200, 200]);
    });

    it('gives a demoted system admin no more rights on the next request, and a promoted one all', async () => {
      const actor = await service.world.user({ userRole: 'system-admin' });
      const other = await service.world.user();
      const rename = async (as: string) =>
        (await patch(other.userId, { firstName: service.world.name('f') }, as)).status;
      expect(await rename(actor.bearer)).toBe(200);
      await patchAsAdmin(actor.userId, { userRole: 'user' });
      expect(await rename(actor.bearer)).toBe(403);
      await patchAsAdmin(actor.userId, { userRole: 'system-admin' });
      expect(await rename(actor.bearer)).toBe(200);
    });

    it('tells nobody apart: unknown user, disabled user, wrong password', async () => {
      const [disabled, wrong] = [await service.world.user(), await service.world.user()];
      await patchAsAdmin(disabled.userId, { disabled: true });
      // After a remembered authorization the endpoint refuses, whose 401 has no challenge.
      service.runner.clearAuthorizerCache();
      const credentials = [
        accountHeader('nobody', disabled.password),
        disabled.account,
        accountHeader(wrong.username, `${secretMark} wrong`),
      ];
      const answers = await Promise.all(credentials.map(me));
      const loaded = answers.map(({ status, text, headers }) => ({
        status,
        text: text.replaceAll(String(headers['x-request-id']), ''),
        challenge: headers['www-authenticate'],
      }));
      expect(loaded).toEqual([loaded[0], loaded[0], loaded[0]]);
      expect(loaded[0]?.status).toBe(401);
    });
  });

  it('keeps every one of 12 changes at once to one user', async () => {
    const { userId } = await service.world.user();
    const email = address();
    const bodies = [
      { firstName: 'F' },
      { lastName: 'L' },
      { email },
      { userRole: 'system-admin' },
      { password: newPassword },
      { disabled: true },
    ];
    const answers = await Promise.all([...bodies, ...bodies].map((body) => patchAsAdmin(userId, body)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { bearer } = await service.world.systemAdmin();
    const { result } = await service.client.call(getUser, { params: { user: userId }, as: bearer });
    expect(result).toMatchObject({ firstName: 'F', lastName: 'L', email, userRole: 'system-admin', disabled: true });
    await patchAsAdmin(userId, { userRole: 'user' });
  });

  it('asks the table twice: one read, one transaction', async () => {
    const { userId } = await service.world.user();
    await patchAsAdmin(userId, { firstName: 'A' });
    service.proxy.forget();
    await patchAsAdmin(userId, { disabled: true, email: address() });
    const calls = service.proxy.callsOf('users/update-user');
    expect(calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'TransactWriteItems']);
  });

  for (const fault of ['drop', 'commit-then-drop', 'throttle', 'conflict', 'server-error'] as const)
    itAnswers(`200 when the transaction meets a fault once (${fault}), done once`, async () => {
      const user: Actor = await service.world.user();
      const body = { firstName: 'A', email: address(), userRole: 'system-admin' };
      service.proxy.inject({ fault, operation: 'TransactWriteItems', times: 1 });
      const answer = await patchAsAdmin(user.userId, body);
      expect((await me(user.bearer)).result).toMatchObject(body);
      return answer;
    });
});
