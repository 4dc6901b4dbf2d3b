import { listRecords } from '../../../functions/audit/contracts.ts';
import { createSession } from '../../../functions/sessions/contracts.ts';
import { createPersonalAccessToken, listPersonalAccessTokens } from '../../../functions/tokens/contracts.ts';
import { getCurrentUser, updateUser } from '../../../functions/users/contracts.ts';
import { changeStoredSession, cookieOf, secondsAgo, signIn } from '../../facts/browser-sessions.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Actor } from '../../harness/world.ts';
import { newPassword } from '../../harness/world.ts';

const service = useService();
let user: Actor;
let root: string;
beforeAll(async () => {
  user = await service.world.user();
  root = (await service.world.systemAdmin()).bearer;
});

const signInWith = (body: object, headers = {}) => service.client.attempt(createSession, { body, headers });
const ask = (as: string) => service.client.attempt(getCurrentUser, { as });

describe('POST /1/sessions', () => {
  itAnswers('400 REQUEST_INVALID for an Idempotency-Key, because the answer has a secret', async () => {
    const { username, password } = user;
    const answer = await signInWith({ username, password }, { 'Idempotency-Key': 'one' });
    expect(answer.problem?.detail).toContain('takes no Idempotency-Key');
    return answer;
  });

  itAnswers('201 with a token of fifteen minutes, and a cookie that pages cannot read', async () => {
    const { username, password } = user;
    const answer = await signInWith({ username, password });
    expect(answer.result).toMatchObject({
      userId: user.userId,
      token: expect.stringMatching(/^str_ses_[0-9A-Za-z]{49}$/),
      session: { id: answer.result?.id, sourceAddress: '127.0.0.1' },
    });
    const left = Date.parse(answer.result?.expiresAt ?? '') - Date.now();
    expect(left).toBeGreaterThan(890_000);
    expect(left).toBeLessThanOrEqual(900_000);
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^stockroom=str_cke_[0-9A-Za-z]{49}\.[0-9A-Za-z]{43}; Max-Age=43(?:200|1\d\d); HttpOnly; SameSite=Strict; Path=\/$/,
    );
    return answer;
  });

  it('gives a token with which its user may do what the password allows', async () => {
    const page = await signIn(service.client, user);
    const { result } = await ask(page.bearer);
    expect(result).toMatchObject({ username: user.username, token: { name: 'console', limits: null } });
    expect((await service.client.succeed(listPersonalAccessTokens, { as: page.bearer })).map(({ id }) => id)).toEqual([
      user.tokenId,
    ]);
  });

  it('takes the cookie of the request for nothing: each session has a cookie of its own', async () => {
    const { username, password } = user;
    const before = await signIn(service.client, user);
    const answer = await signInWith({ username, password }, { Cookie: `stockroom=${before.cookie}` });
    expect(cookieOf(answer).split('.')[0]).not.toBe(before.cookie.split('.')[0]);
  });

  itAnswers('401 SIGN_IN_REFUSED with a wrong password, an unknown user and a disabled user, all alike', async () => {
    const disabled = await service.world.user();
    await service.client.succeed(updateUser, {
      params: { user: disabled.userId },
      body: { disabled: true },
      as: root,
    });
    const { username, password } = disabled;
    const answers = [
      await signInWith({ username: user.username, password: newPassword() }),
      await signInWith({ username: 'nobody-has-this', password: newPassword() }),
      await signInWith({ username, password }),
      await signInWith({ username: 'token', password: user.token }),
    ];
    expect(new Set(answers.map(({ problem }) => problem?.detail)).size).toBe(1);
    expect(answers.map(({ headers }) => headers['set-cookie'])).toEqual(answers.map(() => undefined));
    return answers;
  });

  itAnswers(
    '401 SIGN_IN_REFUSED with the right password after ten wrong ones, which count like any others',
    async () => {
      const guessed = await service.world.user();
      const { username, password } = guessed;
      for (let guess = 0; guess < 10; guess += 1) await signInWith({ username, password: newPassword() });
      // This process of the function has proven no password of the user.
      return signInWith({ username, password });
    },
  );

  it('is recorded, without a secret', async () => {
    const page = await signIn(service.client, user);
    const records = await service.client.succeed(listRecords, {
      query: { action: 'session.started', limit: 100 },
      as: root,
    });
    const record = records.find(({ target }) => target.id === page.sessionId);
    expect(record).toMatchObject({
      action: 'session.started',
      actor: { kind: 'user', id: user.userId, tokenId: null },
      target: { id: page.sessionId, name: user.username },
    });
    expect(JSON.stringify(record)).not.toMatch(/str_|Hash/);
  });
});

describe('The token of a session', () => {
  it('may make a token without an end while the password is fresh', async () => {
    const { bearer } = await signIn(service.client, user);
    const { expirationDate } = await service.client.succeed(createPersonalAccessToken, {
      body: { name: 'laptop' },
      as: bearer,
    });
    expect(expirationDate).toBeNull();
  });

  itAnswers('403 PASSWORD_PROOF_EXPIRED for a token fifteen minutes later', async () => {
    const page = await signIn(service.client, user);
    await changeStoredSession(page.sessionId, { passwordProvenAt: secondsAgo(901) });
    expect((await ask(page.bearer)).status).toBe(200);
    return service.client.attempt(createPersonalAccessToken, { body: { name: 'laptop' }, as: page.bearer });
  });

  it.each([
    ['a new password', { password: newPassword() }],
    ['the end of all tokens', { revokeTokens: true }],
    ['a disabled user', { disabled: true }],
  ])('is refused with the next request after %s', async (_, body) => {
    const person = await service.world.user();
    const { bearer } = await signIn(service.client, person);
    expect((await ask(bearer)).status).toBe(200);
    await service.client.succeed(updateUser, { params: { user: person.userId }, body, as: root });
    expect((await ask(bearer)).code).toBe('UNAUTHENTICATED');
  });

  it.each([
    ['after twelve hours without a renewal', { idleUntil: secondsAgo(1) }],
    ['after thirty days', { endsAt: secondsAgo(1) }],
  ])('is refused when the session has ended %s', async (_, change) => {
    const page = await signIn(service.client, user);
    expect((await ask(page.bearer)).status).toBe(200);
    await changeStoredSession(page.sessionId, change);
    expect((await ask(page.bearer)).code).toBe('UNAUTHENTICATED');
  });

  it('is no credential in the form of the cookie', async () => {
    const { cookie } = await signIn(service.client, user);
    const [family = ''] = cookie.split('.');
    expect((await ask(`Bearer ${family}`)).code).toBe('UNAUTHENTICATED');
    expect((await ask(`Bearer ${cookie}`)).code).toBe('UNAUTHENTICATED');
  });
});
