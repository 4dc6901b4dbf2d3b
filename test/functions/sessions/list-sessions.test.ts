import { listSessions } from '../../../functions/sessions/contracts.ts';
import type { TokenLimits } from '../../../shared/table/identity/tokens.ts';
import { changeStoredSession, secondsAgo, signIn } from '../../facts/browser-sessions.ts';
import { bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Actor } from '../../harness/world.ts';

const service = useService();
let user: Actor;
beforeAll(async () => {
  user = await service.world.user();
});

const list = (of: string, as: string, query = {}) =>
  service.client.attempt(listSessions, { params: { user: of }, query, as });

describe('GET /1/users/{user}/sessions', () => {
  itAnswers('200 with the sessions of the caller, and which of them the request belongs to', async () => {
    const pages = [await signIn(service.client, user), await signIn(service.client, user)];
    const answer = await list('me', pages[1]?.bearer ?? '');
    expect(answer.result).toMatchObject([
      { id: pages[0]?.sessionId, isCurrent: false },
      { id: pages[1]?.sessionId, isCurrent: true },
    ]);
    expect(answer.text).not.toMatch(/str_cke|Hash|turn/);
    return answer;
  });

  it('divides them into pages', async () => {
    const person = await service.world.user();
    const pages = [];
    for (let count = 0; count < 3; count += 1) pages.push(await signIn(service.client, person));
    const first = await list('me', person.bearer, { limit: 2 });
    expect(first.result?.map(({ id }) => id)).toEqual(pages.slice(0, 2).map(({ sessionId }) => sessionId));
    expect(first.headers.link).toMatch(/rel="next"/);
  });

  it('shows none that has ended by itself', async () => {
    const person = await service.world.user();
    const page = await signIn(service.client, person);
    await changeStoredSession(page.sessionId, { idleUntil: secondsAgo(1) });
    expect((await list('me', person.bearer)).result).toEqual([]);
  });

  it('shows none to a token with limits beyond reading, which sees nothing else of its user', async () => {
    const person = await service.world.user();
    await signIn(service.client, person);
    const seen = async (limits: TokenLimits) => {
      const { token } = await service.world.token(person, null, limits);
      return (await list('me', bearerHeader(token))).result?.length;
    };
    expect(await seen({ workspaces: {}, level: 'canView', readOnly: true })).toBe(0);
    expect(await seen({ level: 'canManage' })).toBe(0);
    expect(await seen({ readOnly: true })).toBe(1);
  });

  it('shows a System Admin those of everybody', async () => {
    const { bearer } = await service.world.systemAdmin();
    expect((await list(user.username, bearer)).result).not.toEqual([]);
  });

  itAnswers('403 FORBIDDEN for the sessions of somebody else', async () => {
    const other = await service.world.user();
    return list(user.username, other.bearer);
  });
});
