import { listRecords } from '../../../functions/audit/contracts.ts';
import { deleteCurrentSession } from '../../../functions/sessions/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { pageHeaders, renew, signIn } from '../../facts/browser-sessions.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Actor } from '../../harness/world.ts';

const service = useService();
let user: Actor;
beforeAll(async () => {
  user = await service.world.user();
});

const signOut = (headers: Record<string, string>) => service.client.attempt(deleteCurrentSession, { headers });

describe('DELETE /1/sessions', () => {
  itAnswers('200 and removes the cookie; neither it nor the tokens are worth anything any more', async () => {
    const page = await signIn(service.client, user);
    const ask = async () => (await service.client.attempt(getCurrentUser, { as: page.bearer })).status;
    expect(await ask()).toBe(200);
    const answer = await signOut(pageHeaders(page.cookie));
    expect(String(answer.headers['set-cookie'])).toBe('stockroom=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/');
    expect(await ask()).toBe(401);
    expect((await renew(service.client, page.cookie)).code).toBe('SESSION_ENDED');
    const { bearer } = await service.world.systemAdmin();
    const records = await service.client.succeed(listRecords, {
      query: { action: 'session.ended', limit: 100 },
      as: bearer,
    });
    const record = records.find(({ target }) => target.id === page.sessionId);
    expect(record).toMatchObject({
      action: 'session.ended',
      actor: { kind: 'user', id: user.userId },
      sourceAddress: '127.0.0.1',
      after: { reason: 'signed out' },
    });
    return answer;
  });

  itAnswers('200 without a session, too: who signs out twice has signed out', async () => {
    const { cookie } = await signIn(service.client, user);
    await signOut(pageHeaders(cookie));
    return [await signOut(pageHeaders(cookie)), await signOut({ 'X-Stockroom-Console': '1' })];
  });

  it('leaves the other sessions of the user alone', async () => {
    const [one, other] = [await signIn(service.client, user), await signIn(service.client, user)];
    await signOut(pageHeaders(one.cookie));
    expect((await service.client.attempt(getCurrentUser, { as: other.bearer })).status).toBe(200);
  });

  itAnswers('403 CROSS_SITE_REQUEST for the page of another site', async () => {
    const { cookie } = await signIn(service.client, user);
    const answer = await signOut({ Cookie: `stockroom=${cookie}` });
    expect((await renew(service.client, cookie)).status).toBe(200);
    return answer;
  });
});
