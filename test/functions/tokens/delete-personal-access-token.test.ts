import { deletePersonalAccessToken, listPersonalAccessTokens } from '../../../functions/tokens/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { tokenKey, tokensOfUserList } from '../../../shared/table/keys.ts';
import { bearerHeader, tokenHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

const remove = async (tokenId: string, as: string) =>
  service.client.call(deletePersonalAccessToken, { params: { tokenId }, as });
const statusOf = async (as: string) => (await service.client.call(getCurrentUser, { as })).status;

describe('DELETE /1/users/personal-access-tokens/{tokenId}', () => {
  itAnswers('200 for the owner, by ID in either letter case, and it is listed no more', async () => {
    const actor = await service.world.user();
    const tokens = [await service.world.token(actor), await service.world.token(actor)];
    const [first, second] = tokens.map(({ tokenId }) => tokenId);
    const answers = [
      await remove(first ?? '', actor.bearer),
      await remove((second ?? '').toUpperCase(), actor.account),
    ];
    expect(answers.map(({ result }) => result)).toEqual(
      [first, second].map((tokenId) => ({ tokenId, status: 'deleted' })),
    );
    const { text } = await service.client.call(listPersonalAccessTokens, { as: actor.bearer });
    expect((JSON.parse(text) as { id: string }[]).map(({ id }) => id)).toEqual([actor.tokenId]);
    return answers;
  });

  itAnswers('200 for a system admin who deletes the token of another user', async () => {
    const { tokenId, bearer } = await service.world.user();
    const answer = await remove(tokenId, (await service.world.systemAdmin()).bearer);
    expect(await statusOf(bearer)).toBe(401);
    return answer;
  });

  itAnswers('200 for the very token that the request came with, which is then refused', async () => {
    const { tokenId, bearer } = await service.world.user();
    const answer = await remove(tokenId, bearer);
    expect(await statusOf(bearer)).toBe(401);
    return answer;
  });

  itAnswers(
    '404 TOKEN_NOT_FOUND for the token of another user, an unknown one, a deleted one and what is no ID',
    async () => {
      const [actor, other] = [await service.world.user(), await service.world.user()];
      const deleted = await service.world.token(actor);
      await remove(deleted.tokenId, actor.bearer);
      const references = [
        other.tokenId,
        '00000000-0000-8000-8000-000000000000',
        deleted.tokenId,
        'ci',
        '#',
        'x'.repeat(3_000),
      ];
      service.proxy.forget();
      const answers = await Promise.all(references.map((token) => remove(token, actor.bearer)));
      const texts = answers.map(({ text, headers }) => text.replaceAll(String(headers['x-request-id']), ''));
      expect([...new Set(texts)]).toHaveLength(1);
      expect(service.proxy.callsOf('tokens/delete-personal-access-token').filter(({ isWrite }) => isWrite)).toEqual([]);
      expect(await statusOf(other.bearer)).toBe(200);
      return answers;
    },
  );

  itAnswers('404 TOKEN_NOT_FOUND for a system admin when there is no such token', async () =>
    remove('00000000-0000-8000-8000-000000000000', (await service.world.systemAdmin()).bearer),
  );

  it('refuses the token on the next request, with the authorizer’s answer remembered and without', async () => {
    const actor = await service.world.user();
    const { token, tokenId } = await service.world.token(actor);
    const forms = [bearerHeader(token), tokenHeader(token)];
    expect(await Promise.all(forms.map(statusOf))).toEqual([200, 200]);
    await remove(tokenId, actor.bearer);
    expect(await Promise.all(forms.map(statusOf))).toEqual([401, 401]);
    service.runner.clearAuthorizerCache();
    expect(await Promise.all(forms.map(statusOf))).toEqual([401, 401]);
    expect(await statusOf(actor.bearer)).toBe(200);
  });

  it('refuses an expired token on the next request, with the authorizer’s answer remembered', async () => {
    const actor = await service.world.user();
    const expires = Date.now() + 1_500;
    const { token } = await service.world.token(actor, new Date(expires).toISOString());
    expect(await statusOf(bearerHeader(token))).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, expires - Date.now() + 5));
    expect(await statusOf(bearerHeader(token))).toBe(401);
  });

  it('accepts no request that started after the deletion was acknowledged, in a running stream', async () => {
    const actor = await service.world.user();
    for (let round = 0; round < 20; round += 1) {
      const { token, tokenId } = await service.world.token(actor);
      const credential = bearerHeader(token);
      let isDeleted = false;
      const accepted: boolean[] = [];
      const stream = async () => {
        for (let after = 0; after < 2; ) {
          const startedAfter = isDeleted;
          if ((await statusOf(credential)) === 200) accepted.push(startedAfter);
          if (startedAfter) after += 1;
        }
      };
      const streams = Promise.all([stream(), stream(), stream()]);
      await remove(tokenId, actor.bearer);
      isDeleted = true;
      await streams;
      expect(accepted.filter((startedAfter) => startedAfter)).toEqual([]);
    }
  });

  it('answers 200 or 404 to each of 8 who delete it at once, and at least one 200', async () => {
    const actor = await service.world.user();
    const { tokenId } = await service.world.token(actor);
    service.proxy.conflictsLikeDynamoDb = true;
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(tokenId, actor.bearer)));
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(answers.filter(({ status, code }) => status !== 200 && code !== 'TOKEN_NOT_FOUND')).toEqual([]);
  });

  for (const fault of ['drop', 'commit-then-drop', 'throttle', 'conflict', 'server-error'] as const)
    itAnswers(`200 when the transaction meets a fault once (${fault})`, async () => {
      const actor = await service.world.user();
      const { token, tokenId } = await service.world.token(actor);
      service.proxy.inject({ fault, operation: 'TransactWriteItems', times: 1 });
      const answer = await remove(tokenId, actor.bearer);
      expect(await statusOf(bearerHeader(token))).toBe(401);
      return answer;
    });

  it('leaves nothing of the token in the table', async () => {
    const { userId, tokenId, account } = await service.world.user();
    const { items } = await new Table().query(tokensOfUserList(userId));
    expect(items.map(({ item: { id } }) => id)).toEqual([tokenId]);
    await remove(tokenId, account);
    const left = await new Table().read([tokenKey(tokenId)]);
    expect(left.find(tokenKey(tokenId))).toBeUndefined();
    expect((await new Table().query(tokensOfUserList(userId))).items).toEqual([]);
  });

  it('asks the table twice: one read, one transaction', async () => {
    const actor = await service.world.user();
    const { tokenId } = await service.world.token(actor);
    await statusOf(actor.bearer);
    service.proxy.forget();
    await remove(tokenId, actor.bearer);
    expect(service.proxy.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'TransactWriteItems']);
  });
});
