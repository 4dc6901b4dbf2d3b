import {
  deletePersonalAccessToken,
  listPersonalAccessTokens,
  listUserPersonalAccessTokens,
} from '../../../functions/tokens/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { cursorOf, walkPages } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import type { Actor } from '../../harness/world.ts';

const service = useService();
let root: Actor;

beforeAll(async () => {
  root = await service.world.systemAdmin();
});

const list = async (user: string, as = root.bearer, query: Record<string, string | number> = {}) =>
  service.client.attempt(listUserPersonalAccessTokens, { params: { user }, query, as });

describe('GET /1/users/{user}/personal-access-tokens', () => {
  itAnswers('200 with the tokens that the user sees, by ID in either letter case and by username', async () => {
    const actor = await service.world.user();
    await service.world.token(actor, '2020-01-01T00:00:00.000Z');
    const own = await service.client.succeed(listPersonalAccessTokens, { as: actor.account });
    expect(own).toHaveLength(2);
    const { userId, username } = actor;
    const answers = await Promise.all([userId, userId.toUpperCase(), username].map((user) => list(user)));
    for (const { result } of answers) expect(result).toEqual(own);
    return answers;
  });

  itAnswers('200 with the own tokens for me', async () => {
    const answer = await list('me');
    expect(answer.result).toEqual(await service.client.succeed(listPersonalAccessTokens, { as: root.bearer }));
    return answer;
  });

  it('shows a system admin what to delete, and nothing once it is deleted', async () => {
    const { userId } = await service.world.user();
    const { result = [] } = await list(userId);
    for (const { id } of result)
      await service.client.succeed(deletePersonalAccessToken, { params: { tokenId: id }, as: root.bearer });
    expect((await list(userId)).text).toBe('[]');
  });

  it('walks in pages in the same order, each token once', async () => {
    const actor = await service.world.user();
    for (let count = 0; count < 6; count += 1) await service.world.token(actor);
    const pages = await walkPages((query) => list(actor.username, root.bearer, query), {
      limit: 3,
    });
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual((await list(actor.userId)).result);
  });

  itAnswers('400 REQUEST_INVALID for the cursor of another user', async () => {
    const [one, other] = [await service.world.user(), await service.world.user()];
    for (const actor of [one, other]) await service.world.token(actor);
    const cursor = cursorOf(await list(one.userId, root.bearer, { limit: 1 }));
    expect((await list(one.userId, root.bearer, { cursor })).result).toHaveLength(1);
    return list(other.userId, root.bearer, { cursor });
  });

  itAnswers(
    '403 FORBIDDEN for everybody else, also about one’s own tokens, whether there is such a user or not',
    async () => {
      const [actor, other] = [await service.world.user(), await service.world.user()];
      const references = [actor.userId, 'me', other.userId, other.username, 'nobody', '#'];
      const answers = await Promise.all(references.map((user) => list(user, actor.bearer)));
      expect([...new Set(answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', '')))]).toHaveLength(
        1,
      );
      return answers;
    },
  );

  itAnswers('404 USER_NOT_FOUND when there is no such user', async () =>
    Promise.all(['00000000-0000-4000-8000-000000000000', 'nobody', '#'].map((user) => list(user))),
  );
});
