import { randomUUID } from 'node:crypto';
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  getPersonalAccessToken,
  listPersonalAccessTokens,
} from '../../../functions/tokens/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

const get = async (tokenId: string, as: string) =>
  service.client.call(getPersonalAccessToken, { params: { tokenId }, as });
const unknownId = '00000000-0000-8000-8000-000000000000';

describe('GET /1/users/personal-access-tokens/{tokenId}', () => {
  itAnswers('200 for the owner, by ID in either letter case, as the list shows it and without the secret', async () => {
    const { bearer, account, userId } = await service.world.user();
    const body = { name: 'builds', expirationDate: '2099-01-31T09:30:00.000Z' };
    const { id, token } = await service.client.succeed(createPersonalAccessToken, { body, as: bearer });
    const listed = await service.client.succeed(listPersonalAccessTokens, { as: account });
    const answers = [await get(id, bearer), await get(id.toUpperCase(), account)];
    for (const { result, text } of answers) {
      const more = {
        createdAt: expect.any(String),
        createdBy: userId,
        lastUsedAt: null,
        unused: false,
        replacedBy: null,
        limits: null,
      };
      expect(result).toEqual({ ...body, id, ...more });
      expect(result).toEqual(listed.find((each) => each.id === id));
      expect(text).not.toContain(token);
    }
    return answers;
  });

  itAnswers('200 with the workspaces of its limits in the order of their IDs, each time', async () => {
    const actor = await service.world.user();
    const ids = Array.from({ length: 15 }, () => randomUUID());
    const workspaces = Object.fromEntries(ids.map((id) => [id, null]));
    const { tokenId } = await service.world.token(actor, null, { workspaces });
    const answers = [await get(tokenId, actor.bearer), await get(tokenId, actor.bearer)];
    for (const { result } of answers)
      expect(result?.limits?.workspaces.map(({ workspaceId }) => workspaceId)).toEqual(ids.toSorted());
    return answers;
  });

  itAnswers('200 for an expired token, so that its owner sees why it is refused', async () => {
    const actor = await service.world.user();
    const { tokenId } = await service.world.token(actor, '2020-01-01T00:00:00.000Z');
    const answer = await get(tokenId, actor.bearer);
    expect(answer.result?.expirationDate).toBe('2020-01-01T00:00:00.000Z');
    return answer;
  });

  itAnswers('200 for a system admin who gets the token of another user', async () => {
    const { tokenId } = await service.world.user();
    const answer = await get(tokenId, (await service.world.systemAdmin()).bearer);
    expect(answer.result?.id).toBe(tokenId);
    return answer;
  });

  itAnswers(
    '404 TOKEN_NOT_FOUND alike for the token of another user, an unknown one, a deleted one and what is no ID',
    async () => {
      const [actor, other] = [await service.world.user(), await service.world.user()];
      const { tokenId } = await service.world.token(actor);
      await service.client.succeed(deletePersonalAccessToken, { params: { tokenId }, as: actor.bearer });
      const references = [other.tokenId, unknownId, tokenId, 'ci', '#', 'x'.repeat(3_000)];
      const answers = await Promise.all(references.map((reference) => get(reference, actor.bearer)));
      expect([...new Set(answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', '')))]).toHaveLength(
        1,
      );
      return answers;
    },
  );

  itAnswers('404 TOKEN_NOT_FOUND for a system admin when there is no such token', async () =>
    get(unknownId, (await service.world.systemAdmin()).bearer),
  );
});
