import { deleteSession } from '../../../functions/sessions/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { renew, signIn } from '../../facts/browser-sessions.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Actor } from '../../harness/world.ts';

const service = useService();
let user: Actor;
beforeAll(async () => {
  user = await service.world.user();
});

const end = (of: string, session: string, as: string) =>
  service.client.attempt(deleteSession, { params: { user: of, session }, as });

describe('DELETE /1/users/{user}/sessions/{session}', () => {
  itAnswers('200 and refuses the next request of that browser is refused', async () => {
    const page = await signIn(service.client, user);
    const answer = await end('me', page.sessionId, user.bearer);
    expect(answer.result).toEqual({ sessionId: page.sessionId, status: 'deleted' });
    expect((await service.client.attempt(getCurrentUser, { as: page.bearer })).status).toBe(401);
    expect((await renew(service.client, page.cookie)).code).toBe('SESSION_ENDED');
    return answer;
  });

  itAnswers('404 SESSION_NOT_FOUND for one that has ended, one of another user, and what is no ID', async () => {
    const page = await signIn(service.client, user);
    const foreign = await signIn(service.client, await service.world.user());
    await end('me', page.sessionId, user.bearer);
    return [
      await end('me', page.sessionId, user.bearer),
      await end('me', foreign.sessionId, user.bearer),
      await end('me', 'current', user.bearer),
    ];
  });

  itAnswers('403 FORBIDDEN for who is neither the user nor a System Admin', async () => {
    const page = await signIn(service.client, user);
    return end(user.userId, page.sessionId, (await service.world.user()).bearer);
  });
});
