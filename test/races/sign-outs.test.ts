import { deleteCurrentSession, renewSession } from '../../functions/sessions/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { userActor } from '../../shared/auth/actor.ts';
import { newSessionCookie } from '../../shared/auth/session-cookies.ts';
import { hashToken, newToken, tokenIdOf } from '../../shared/auth/tokens.ts';
import { Table } from '../../shared/table/client.ts';
import { renewSession as renewStored } from '../../shared/table/identity/session-renewal.ts';
import { startSession } from '../../shared/table/identity/sessions.ts';
import type { User } from '../../shared/table/identity/users.ts';
import { sessionKey, userKey } from '../../shared/table/keys.ts';
import { pageHeaders } from '../facts/browser-sessions.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { useService } from '../harness/service.ts';

const service = useService();

/** Sign-outs that meet requests; `npm run test:races` lets 10,000 do so. */
const races = Number(process.env.SIGN_OUT_RACES ?? 30);
const atOnce = 3;

let user: User;
beforeAll(async () => {
  const { username } = await service.world.user();
  const key = userKey(username);
  const found = (await new Table().read([key])).find(key);
  if (!found) throw new Error('There is no such user.');
  user = found;
});

/** A session as a sign-in begins it, without the time that a password takes. */
const begun = async () => {
  const [table, token, cookie] = [new Table(), newToken('session'), newSessionCookie()];
  table.author = { actor: userActor(user), sourceAddress: '192.0.2.1', requestId: 'a sign-in', operation: 'a sign-in' };
  await startSession(table, user, { cookie, token }, { sourceAddress: '192.0.2.1', userAgent: 'a test' });
  return { bearer: bearerHeader(token), cookie: `${cookie.family}.${cookie.turn}`, secrets: { cookie, token } };
};

/** A sign-out in the middle of requests and a renewal; answers with the statuses of what began after it was acknowledged. */
const race = async (): Promise<number[]> => {
  const { bearer, cookie } = await begun();
  const headers = pageHeaders(cookie);
  const ask = (as: string) => service.client.call(getCurrentUser, { as });
  const renew = () => service.client.attempt(renewSession, { body: {}, headers });
  const before = [ask(bearer), renew(), ask(bearer)] as const;
  const signedOut = await service.client.attempt(deleteCurrentSession, { headers });
  expect(signedOut.status).toBe(200);
  const after = await Promise.all([ask(bearer), renew()]);
  const [, renewed] = await Promise.all(before);
  // A renewal may have come first: its token must not outlive the session, either.
  const token = renewed.result?.token;
  const later = token === undefined ? [] : [await ask(bearerHeader(token))];
  return [...after, ...later].map(({ status }) => status);
};

describe('A sign-out that meets requests and a renewal', () => {
  it('is not undone by a renewal that has read the session before it', async () => {
    const { bearer, cookie, secrets } = await begun();
    const key = sessionKey(tokenIdOf(hashToken(secrets.cookie.family)));
    const found = (await new Table().read([key])).find(key);
    if (!found) throw new Error('There is no such session.');
    const { status } = await service.client.attempt(deleteCurrentSession, { headers: pageHeaders(cookie) });
    expect(status).toBe(200);
    const token = newToken('session');
    expect(await renewStored(new Table(), found, { ...secrets, token }, false)).toBe('ended');
    expect((await new Table().read([key])).find(key)).toBeUndefined();
    for (const as of [bearer, bearerHeader(token)])
      expect((await service.client.call(getCurrentUser, { as })).status).toBe(401);
  });

  it('lets none pass that began after its answer, nor the token of that renewal', async () => {
    let left = races;
    const statuses: number[] = [];
    const lane = async (): Promise<void> => {
      for (; left > 0; ) {
        left -= 1;
        statuses.push(...(await race()));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    if (races > 100) process.stdout.write(`${races} sign-outs, ${statuses.length} requests after them\n`);
    expect(statuses.filter((status) => status !== 401)).toEqual([]);
    expect(statuses.length).toBeGreaterThanOrEqual(2 * races);
  }, 3_600_000);
});
