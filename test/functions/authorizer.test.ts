import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { hashPassword } from '../../shared/auth/passwords.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { errors } from '../../shared/errors.ts';
import { Table } from '../../shared/table/client.ts';
import { insertToken } from '../../shared/table/identity/tokens.ts';
import { findUserByName, insertUser, type User, updateStoredUser } from '../../shared/table/identity/users.ts';
import { passwordChecksKey, passwordFailuresKey } from '../../shared/table/keys.ts';
import type { Answer } from '../harness/client.ts';
import { accountHeader, bearerHeader, tokenHeader } from '../harness/credentials.ts';
import { FunctionThread } from '../harness/function-thread.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { useService } from '../harness/service.ts';
import { type Actor, newPassword, uniqueName } from '../harness/world.ts';

const service = useService();
let actor: Actor;
let disabled: Actor;

beforeAll(async () => {
  [actor, disabled] = await Promise.all([service.world.user(), service.world.user()]);
  await service.world.disable(disabled);
});

const whoAmI = (...credentials: string[]): Promise<Answer> =>
  service.client.sendTo(getCurrentUser, { headers: credentials.map((value) => ['Authorization', value]) });

/** An answer without what differs from request to request. */
const anonymous = ({ text, headers, problem }: Answer): string => {
  const { date: _date, ...kept } = headers;
  return (JSON.stringify(kept) + text).replaceAll(problem?.requestId ?? '', '');
};

const changeLast = (text: string): string => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

describe('the authorizer', () => {
  itAnswers('200 alike for each of the three forms, the scheme in any case', async () => {
    const forms = [actor.bearer, actor.tokenAsPassword, actor.account];
    const answers = await Promise.all(
      forms
        .flatMap((form) => [form, form.replace(/^\w+/, (scheme) => scheme.toUpperCase())])
        .map((form) => whoAmI(form)),
    );
    for (const { text } of answers) expect(JSON.parse(text)).toMatchObject({ id: actor.userId });
    return answers;
  });

  itAnswers('401 UNAUTHENTICATED with the challenge, in the same bytes whatever is wrong', async () => {
    service.runner.clearAuthorizerCache();
    const answers = await Promise.all([
      service.client.sendTo(getCurrentUser, {}),
      whoAmI(''),
      whoAmI('Bearer'),
      whoAmI(`Bearer   ${actor.token}`),
      whoAmI(`Bearer ${actor.token} ${actor.token}`),
      whoAmI(`Digest ${actor.token}`),
      whoAmI(actor.bearer, actor.bearer),
      whoAmI(actor.bearer, actor.account),
      whoAmI('Basic !!!!'),
      whoAmI('Basic YTpiYh=='),
      whoAmI('Basic /////w=='),
      whoAmI(bearerHeader(newToken())),
      whoAmI(tokenHeader(newToken())),
      whoAmI(bearerHeader(changeLast(actor.token))),
      whoAmI(accountHeader(actor.username, newPassword())),
      whoAmI(accountHeader(uniqueName(), actor.password)),
      whoAmI(accountHeader(actor.username.toUpperCase(), actor.password)),
      whoAmI(accountHeader('token', actor.password)),
      whoAmI(accountHeader('', actor.password)),
      whoAmI(accountHeader(actor.username, '')),
      whoAmI(accountHeader(actor.username, actor.token)),
      whoAmI(disabled.account),
    ]);
    expect([...new Set(answers.map(anonymous))]).toHaveLength(1);
    for (const { headers } of answers)
      expect(headers['www-authenticate']).toBe('Basic realm="stockroom", charset="UTF-8"');
    // Whoever sends a token with a name of their own must find out from the same bytes.
    expect(answers[0]?.problem?.detail).toContain("token (as a password, with the username 'token')");
    return answers;
  });

  itAnswers(
    '401 UNAUTHENTICATED with the same body when the function refuses what the authorizer let pass',
    async () => {
      const [byFunction, byAuthorizer] = await Promise.all([whoAmI(disabled.bearer), whoAmI(disabled.account)]);
      // Only the gateway adds what clients of npm print, because it answers for every path.
      const { requestId: _, ...problem } = byFunction.problem ?? {};
      expect(byAuthorizer.problem).toEqual({
        ...problem,
        requestId: expect.any(String),
        error: byFunction.problem?.detail,
      });
      return [byFunction, byAuthorizer];
    },
  );

  itAnswers('401 UNAUTHENTICATED without asking the table, for a header that cannot be a credential', async () => {
    service.proxy.forget();
    const answers = await Promise.all([
      whoAmI(`Bearer   ${actor.token}`),
      whoAmI(bearerHeader(changeLast(actor.token))),
      whoAmI(tokenHeader(changeLast(actor.token))),
      whoAmI(bearerHeader(`str_pat_${'0'.repeat(49)}`)),
      whoAmI('Basic !!!!'),
      whoAmI(accountHeader('token', 'a password')),
      whoAmI(actor.bearer, actor.account),
    ]);
    expect(service.proxy.calls).toEqual([]);
    return answers;
  });

  itAnswers('200 with one consistent read and no hash, once the authorizer was asked', async () => {
    await whoAmI(actor.account);
    service.proxy.forget();
    const answer = await whoAmI(actor.account);
    expect(service.proxy.callsOf('authorizer')).toEqual([]);
    return answer;
  });

  itAnswers('200 with one read for a token that the authorizer meets anew', async () => {
    await whoAmI(actor.bearer);
    service.runner.clearAuthorizerCache();
    service.proxy.forget();
    const answer = await whoAmI(actor.bearer);
    expect(service.proxy.callsOf('authorizer')).toHaveLength(1);
    return answer;
  });

  itAnswers('503 SERVICE_UNAVAILABLE when the table refuses to answer the authorizer', async () => {
    service.runner.clearAuthorizerCache();
    service.proxy.inject({ fault: 'throttle', functionId: 'authorizer' });
    return whoAmI(actor.bearer);
  });

  it('gives up after three tries and two seconds, so that a throttled table does not keep its concurrency', async () => {
    for (const fault of ['throttle', 'hang', 'drop'] as const) {
      service.runner.clearAuthorizerCache();
      service.proxy.inject({ fault, functionId: 'authorizer' });
      service.proxy.forget();
      const started = Date.now();
      expect((await whoAmI(actor.account)).status).toBe(503);
      expect(Date.now() - started).toBeLessThan(2_600);
      expect(service.proxy.callsOf('authorizer').length).toBeLessThanOrEqual(3);
      service.proxy.heal();
    }
  });

  itAnswers('401 UNAUTHENTICATED in the same bytes after ten wrong passwords, also for the right one', async () => {
    const { username, account, bearer } = await service.world.user();
    service.runner.clearAuthorizerCache();
    const answers: Answer[] = [];
    for (let tries = 0; tries < 12; tries += 1) answers.push(await whoAmI(accountHeader(username, newPassword())));
    answers.push(await whoAmI(account));
    expect([...new Set(answers.map(anonymous))]).toHaveLength(1);
    expect((await whoAmI(bearer)).status).toBe(200);
    return answers;
  });

  it('logs each refused credential once: its request, its address and a name that can be one', async () => {
    const name = uniqueName();
    const lines = async (credential: string) => {
      const answer = await whoAmI(credential);
      const found = service.logs.filter((line) => line.includes('credential refused'));
      return found
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ requestId }) => requestId === answer.problem?.requestId);
    };
    const expected = { message: 'credential refused', sourceAddress: expect.stringMatching(/127\.0\.0\.1$/) };
    expect(await lines(accountHeader(name, newPassword()))).toEqual([
      expect.objectContaining({ ...expected, username: name }),
    ]);
    for (const credential of [accountHeader('A Password:', 'x'), bearerHeader(newToken()), 'Basic !!!!']) {
      const found = await lines(credential);
      expect(found).toEqual([expect.objectContaining(expected)]);
      expect(found[0]).not.toHaveProperty('username');
    }
  });

  itAnswers('200 when the table refuses the authorizer once', async () => {
    service.runner.clearAuthorizerCache();
    service.proxy.inject({ fault: 'throttle', functionId: 'authorizer', operation: 'BatchGetItem', times: 1 });
    return whoAmI(actor.bearer);
  });
});

describe('A password whose stored hash has other parameters than new ones', () => {
  // The vector of the reference implementation of argon2id with 256 KiB: the password is "password".
  const passwordHash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  const renewed = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
  const fields = { passwordHash, userRole: 'user', firstName: 'A', lastName: undefined } as const;

  /** A user of long ago, who has a token too. */
  const oldUser = async () => {
    const username = uniqueName();
    const user = await insertUser(new Table(), { ...fields, username, email: `${username}@example.com` });
    if (typeof user === 'string') throw new Error(user);
    const token = newToken();
    await insertToken(new Table(), token, { userId: user.userId, username, name: 'ci', expirationDate: null });
    return { username, account: accountHeader(username, 'password'), bearer: bearerHeader(token) };
  };
  const stored = async (username: string): Promise<User> => {
    const user = await findUserByName(new Table(), username);
    if (!user) throw new Error(`There is no user ${username}.`);
    return user;
  };
  const renewals = () =>
    service.proxy
      .callsOf('authorizer')
      .filter(({ operation, keys }) => operation === 'UpdateItem' && keys.some((key) => key.startsWith('USER#')));

  itAnswers(
    '200 at each login and for the sessions of before: the hash is renewed once, and nothing else',
    async () => {
      const { username, account, bearer } = await oldUser();
      const before = await stored(username);
      const answers = [await whoAmI(bearer), await whoAmI(account)];
      const after = await stored(username);
      expect(after).toEqual({ ...before, passwordHash: expect.stringMatching(renewed) });
      // What the authorizer remembers from before the renewal goes on, and what it finds out anew.
      answers.push(await whoAmI(bearer), await whoAmI(account));
      service.runner.clearAuthorizerCache();
      service.proxy.forget();
      answers.push(await whoAmI(account), await whoAmI(bearer));
      expect(renewals()).toEqual([]);
      expect(await stored(username)).toEqual(after);
      return answers;
    },
  );

  itAnswers('401 UNAUTHENTICATED for a wrong one, and the hash stays', async () => {
    const { username } = await oldUser();
    const answer = await whoAmI(accountHeader(username, newPassword()));
    expect((await stored(username)).passwordHash).toBe(passwordHash);
    return answer;
  });

  itAnswers('200 when the table refuses the renewal, which the next login makes up for', async () => {
    const { username, account } = await oldUser();
    // The first update counts the check of the password.
    service.proxy.inject({ fault: 'throttle', functionId: 'authorizer', operation: 'UpdateItem', after: 1 });
    const answers = [await whoAmI(account)];
    expect((await stored(username)).passwordHash).toBe(passwordHash);
    service.proxy.heal();
    service.runner.clearAuthorizerCache();
    answers.push(await whoAmI(account));
    expect((await stored(username)).passwordHash).toMatch(renewed);
    return answers;
  });

  itAnswers(
    '401 UNAUTHENTICATED when the password changes during the login, which does not bring it back',
    async () => {
      const { username, account } = await oldUser();
      const next = newPassword();
      const change = { passwordHash: await hashPassword(next) };
      service.proxy.forget();
      // The renewal meets conflicts until the password has changed.
      service.proxy.inject({ fault: 'conflict', functionId: 'authorizer', operation: 'UpdateItem', after: 1 });
      const login = whoAmI(account);
      for (let tries = 0; renewals().length === 0 && tries < 2_000; tries += 1) await pause(1);
      expect(renewals()).not.toEqual([]);
      await updateStoredUser(new Table(), await stored(username), change);
      service.proxy.heal();
      const answer = await login;
      expect((await stored(username)).passwordHash).toBe(change.passwordHash);
      expect((await whoAmI(accountHeader(username, next))).status).toBe(200);
      service.runner.clearAuthorizerCache();
      return [answer, await whoAmI(account)];
    },
  );
});

/** An address that no other test has tried passwords from. */
const randomAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;

const refused = (hashes: number) => ({ outcome: 'Unauthorized', hashes });

describe('what a password costs', () => {
  const judge = (authorization: string, sourceIp = randomAddress()) =>
    authorizer.call({
      requestContext: { requestId: randomUUID(), identity: { sourceIp } },
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:api/stage/GET/1/users/me',
      multiValueHeaders: { Authorization: [authorization] },
    });
  let authorizer: FunctionThread;
  beforeAll(() => {
    authorizer = new FunctionThread('authorizer');
  });
  afterAll(() => authorizer.stop());

  it.each([
    ['an unknown user', () => accountHeader(uniqueName(), newPassword())],
    ['a user name that nobody can have', () => accountHeader('NOBODY:', newPassword())],
    ['a disabled user with the right password', () => disabled.account],
    ['a disabled user with a wrong password', () => accountHeader(disabled.username, newPassword())],
    ['a wrong password', () => accountHeader(actor.username, newPassword())],
    ['an empty password', () => accountHeader(actor.username, '')],
    ['a token as password', () => accountHeader(actor.username, actor.token)],
  ])('is one hash for %s, each time', async (_, credential) => {
    const header = credential();
    expect([await judge(header), await judge(header)]).toEqual([refused(1), refused(1)]);
  });

  it.each([
    ['a wrong password', () => actor.username],
    ['an unknown user', () => uniqueName()],
    ['a user name that nobody can have', () => 'NOBODY:'],
  ])('is no hash after ten failures of one user from one address: %s', async (_, usernameOf) => {
    const [username, address] = [usernameOf(), randomAddress()];
    for (let tries = 0; tries < 10; tries += 1)
      expect(await judge(accountHeader(username, newPassword()), address)).toEqual(refused(1));
    for (let tries = 0; tries < 3; tries += 1)
      expect(await judge(accountHeader(username, newPassword()), address)).toEqual(refused(0));
    expect(await judge(accountHeader(username, newPassword()))).toEqual(refused(1));
    expect(await judge(accountHeader(uniqueName(), newPassword()), address)).toEqual(refused(1));
  });

  it('is no hash for the right one either, from that address and nowhere else, until five minutes have passed', async () => {
    const { account, bearer, username } = await service.world.user();
    const address = randomAddress();
    for (let tries = 0; tries < 10; tries += 1) await judge(accountHeader(username, newPassword()), address);
    expect(await judge(account, address)).toEqual(refused(0));
    expect(await judge(account)).toEqual({ outcome: 'allowed', hashes: 1 });
    expect(await judge(account, address)).toEqual(refused(0));
    expect(await judge(bearer, address)).toEqual({ outcome: 'allowed', hashes: 0 });
    const ended = { ':end': new Date().toISOString() };
    await new Table().update({
      update: passwordFailuresKey(address, username),
      set: 'SET #windowEndsAt = :end',
      values: ended,
    });
    expect(await judge(account, address)).toEqual({ outcome: 'allowed', hashes: 0 });
    expect(await judge(accountHeader(username, newPassword()), address)).toEqual(refused(1));
    expect(await judge(account, address)).toEqual({ outcome: 'allowed', hashes: 0 });
  });

  it('is no hash after a hundred failures from one address, whichever users it tries; what is refused counts no further', async () => {
    const address = randomAddress();
    const guess = (username: string) => judge(accountHeader(username, newPassword()), address);
    const one = uniqueName();
    for (let tries = 0; tries < 14; tries += 1) await guess(one);
    const key = passwordFailuresKey(address);
    const { count = 0 } = (await new Table().read([key])).find(key) ?? {};
    expect(count).toBe(10);
    await new Table().update({ update: key, set: 'SET #count = :almost', values: { ':almost': 99 } });
    expect(await guess(uniqueName())).toEqual(refused(1));
    expect(await guess(uniqueName())).toEqual(refused(0));
    expect(await judge(actor.account, address)).toEqual(refused(0));
    expect(await judge(actor.bearer, address)).toEqual({ outcome: 'allowed', hashes: 0 });
  });

  it('is no hash beyond 250 checks of the whole service in a second: passwords get 503, and tokens are proven', async () => {
    const { account, bearer } = await service.world.user();
    const seconds = Array.from({ length: 30 }, (_, second) => Math.floor(Date.now() / 1000) + second);
    const begun = async (count: number) => {
      for (const second of seconds)
        await new Table().update({
          update: passwordChecksKey(second),
          set: 'SET #count = :count',
          values: { ':count': count },
        });
    };
    const busy = { outcome: errors.SERVICE_UNAVAILABLE.detail, hashes: 0 };
    await begun(250);
    expect([await judge(account), await judge(accountHeader(uniqueName(), newPassword()))]).toEqual([busy, busy]);
    expect(await judge(bearer)).toEqual({ outcome: 'allowed', hashes: 0 });
    await begun(249);
    expect(await judge(account)).toEqual({ outcome: 'allowed', hashes: 1 });
    await begun(250);
    // A password that was proven needs no hash.
    expect(await judge(account)).toEqual({ outcome: 'allowed', hashes: 0 });
    await begun(0);
  });

  it('is one hash for the right one, and none once it was proven', async () => {
    expect(await judge(actor.account)).toEqual({ outcome: 'allowed', hashes: 1 });
    expect(await judge(actor.account)).toEqual({ outcome: 'allowed', hashes: 0 });
  });

  it('is no hash for a token', async () => {
    expect(await judge(actor.bearer)).toEqual({ outcome: 'allowed', hashes: 0 });
    expect(await judge(bearerHeader(newToken()))).toEqual({ outcome: 'Unauthorized', hashes: 0 });
  });
});
