import { listRecords } from '../../../functions/audit/contracts.ts';
import { renewSession } from '../../../functions/sessions/contracts.ts';
import { createPersonalAccessToken } from '../../../functions/tokens/contracts.ts';
import { getCurrentUser, updateUser } from '../../../functions/users/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { userKey } from '../../../shared/table/keys.ts';
import {
  changeStoredSession,
  cookieOf,
  pageHeaders,
  renew,
  renewed,
  type SignedInPage,
  secondsAgo,
  signIn,
} from '../../facts/browser-sessions.ts';
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

const ask = async ({ bearer }: SignedInPage) => (await service.client.attempt(getCurrentUser, { as: bearer })).status;
const renewAgain = (cookie: string, body = {}) => renew(service.client, cookie, body);
/** The cookie before the last renewal gets the same new one for a moment. */
const afterTheMoment = (sessionId: string) => changeStoredSession(sessionId, { renewedAt: secondsAgo(11) });

describe('POST /1/sessions/renew', () => {
  itAnswers('200 with another token and another cookie of the same session', async () => {
    const page = await signIn(service.client, user);
    const answer = await renewAgain(page.cookie);
    expect(answer.result?.id).toBe(page.sessionId);
    expect(answer.result?.userId).toBe(user.userId);
    expect(answer.result?.token).not.toBe(page.token);
    expect(cookieOf(answer)).not.toBe(page.cookie);
    expect(cookieOf(answer).split('.')[0]).toBe(page.cookie.split('.')[0]);
    expect(await ask(page)).toBe(200);
    return answer;
  });

  it('can be repeated for ever, each time with the cookie of the time before', async () => {
    const page = await signIn(service.client, user);
    let { cookie } = page;
    for (let round = 0; round < 5; round += 1) cookie = (await renewed(service.client, cookie)).cookie;
    expect(await ask(await renewed(service.client, cookie))).toBe(200);
  });

  it('gives two tabs that renew at once the same cookie, and both their tokens work', async () => {
    const { cookie } = await signIn(service.client, user);
    const tabs = await Promise.all([1, 2, 3, 4].map(() => renewed(service.client, cookie)));
    expect(new Set(tabs.map((tab) => tab.cookie)).size).toBe(1);
    expect(await Promise.all(tabs.map(ask))).toEqual([200, 200, 200, 200]);
  });

  itAnswers('401 SESSION_ENDED with a cookie that was replaced: both copies have lost the session', async () => {
    const page = await signIn(service.client, user);
    const next = await renewed(service.client, page.cookie);
    await afterTheMoment(page.sessionId);
    const thief = await renewAgain(page.cookie);
    expect(await Promise.all([page, next].map(ask))).toEqual([401, 401]);
    const records = await service.client.succeed(listRecords, {
      query: { action: 'session.ended', limit: 100 },
      as: root,
    });
    const record = records.find(({ target }) => target.id === page.sessionId);
    expect(record).toMatchObject({ action: 'session.ended', after: { reason: 'cookie copied' } });
    return [thief, await renewAgain(next.cookie)];
  });

  itAnswers('401 SESSION_ENDED with a cookie from before the last two renewals, at once', async () => {
    const page = await signIn(service.client, user);
    const second = await renewed(service.client, page.cookie);
    await renewed(service.client, second.cookie);
    return renewAgain(page.cookie);
  });

  itAnswers('401 SESSION_ENDED without a cookie, with two, and with one of no session', async () => {
    const { cookie } = await signIn(service.client, user);
    const [family = '', turn = ''] = cookie.split('.');
    const send = (header: string) =>
      service.client.attempt(renewSession, {
        body: {},
        headers: { ...pageHeaders(''), Cookie: header },
      });
    const answers = [
      await send('other=1'),
      await send(`stockroom=${cookie}; stockroom=${cookie}`),
      await send(`stockroom=${family}`),
      await send(`stockroom=${family}.${turn}.${turn}`),
      await send(`__Host-stockroom=${cookie}`),
      await send(`stockroom=str_pat_${'0'.repeat(49)}.${turn}`),
    ];
    expect(cookieOf(await renewAgain(cookie))).not.toBe('');
    return answers;
  });

  itAnswers('401 SESSION_ENDED for a user who was disabled, and one with another password', async () => {
    const [disabled, changed] = [await service.world.user(), await service.world.user()];
    const pages = [await signIn(service.client, disabled), await signIn(service.client, changed)];
    const change = (person: Actor, body: object) =>
      service.client.succeed(updateUser, { params: { user: person.userId }, body, as: root });
    await change(disabled, { disabled: true });
    await change(changed, { password: newPassword() });
    return Promise.all(pages.map(({ cookie }) => renewAgain(cookie)));
  });

  itAnswers(
    '401 SESSION_ENDED for a user whom release 0.1.0 disabled, which left the sessions as they were',
    async () => {
      const person = await service.world.user();
      const page = await signIn(service.client, person);
      const values = { ':disabled': true };
      await new Table().writeUnrecorded([
        { update: userKey(person.username), set: 'SET #disabled = :disabled', values },
      ]);
      return renewAgain(page.cookie);
    },
  );

  itAnswers('401 SESSION_ENDED for a user who was disabled and is enabled again, whose tokens are good', async () => {
    const person = await service.world.user();
    const page = await signIn(service.client, person);
    const change = (body: object) =>
      service.client.succeed(updateUser, { params: { user: person.userId }, body, as: root });
    await change({ disabled: true });
    await change({ disabled: false });
    const use = async (as: string) => service.client.attempt(getCurrentUser, { as });
    expect((await use(page.bearer)).status).toBe(401);
    expect((await use(person.bearer)).status).toBe(200);
    const again = await signIn(service.client, person);
    await change({ firstName: 'Ada', disabled: false });
    expect((await use(again.bearer)).status).toBe(200);
    return [await renewAgain(page.cookie)];
  });

  it('with the password lets the session make a token again', async () => {
    const page = await signIn(service.client, user);
    await changeStoredSession(page.sessionId, { passwordProvenAt: secondsAgo(901) });
    const make = (as: string) => service.client.attempt(createPersonalAccessToken, { body: { name: 'again' }, as });
    const without = await renewed(service.client, page.cookie);
    expect((await make(without.bearer)).code).toBe('PASSWORD_PROOF_EXPIRED');
    const answer = await renewAgain(without.cookie, { password: user.password });
    expect((await make(`Bearer ${answer.result?.token}`)).status).toBe(201);
  });

  itAnswers('400 REQUEST_INVALID with a wrong password, which leaves the cookie as good as it was', async () => {
    const page = await signIn(service.client, user);
    const answer = await renewAgain(page.cookie, { password: newPassword() });
    expect(answer.problem?.violations).toEqual([
      { pointer: '/password', rule: 'current', message: 'password must be your present password.' },
    ]);
    expect((await renewAgain(page.cookie)).status).toBe(200);
    return answer;
  });

  itAnswers('403 CROSS_SITE_REQUEST for a request that no page of this service has sent', async () => {
    const { cookie } = await signIn(service.client, user);
    const headers = { Cookie: `stockroom=${cookie}` };
    const send = (more: object) => service.client.attempt(renewSession, { body: {}, headers: { ...headers, ...more } });
    const answers = [
      await send({}),
      await send({ 'X-Stockroom-Console': '0' }),
      await send({ 'X-Stockroom-Console': '1', 'Sec-Fetch-Site': 'cross-site' }),
      await send({ 'X-Stockroom-Console': '1', 'Sec-Fetch-Site': 'same-site' }),
      await send({ 'X-Stockroom-Console': '1', 'Sec-Fetch-Site': 'none' }),
      await send({ 'X-Stockroom-Console': '1', Origin: 'https://evil.example' }),
    ];
    expect((await renewAgain(cookie)).status).toBe(200);
    return answers;
  });
});
