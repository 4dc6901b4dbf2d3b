import {
  getPersonalAccessToken,
  listPersonalAccessTokens,
  rotatePersonalAccessToken,
} from '../../../functions/tokens/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Actor } from '../../harness/world.ts';

const service = useService();
let owner: Actor;
beforeAll(async () => {
  owner = await service.world.user();
});

const rotate = (tokenId: string, body: object = {}, as = owner.account) =>
  service.client.attempt(rotatePersonalAccessToken, { params: { tokenId }, body, as });
const whoAmI = async (token: string) => (await service.client.call(getCurrentUser, { as: bearerHeader(token) })).status;

describe('POST /1/users/personal-access-tokens/{tokenId}/rotate', () => {
  itAnswers('201 with another token of the same name; without an overlap, the old one is gone', async () => {
    const { token, tokenId } = await service.world.token(owner);
    expect(await whoAmI(token)).toBe(200);
    const answer = await rotate(tokenId);
    expect(answer.result).toMatchObject({ name: 'ci', expirationDate: null, replaces: tokenId, replacedUntil: null });
    expect(await whoAmI(token)).toBe(401);
    expect(await whoAmI(answer.result?.token ?? '')).toBe(200);
    const ids = (await service.client.succeed(listPersonalAccessTokens, { as: owner.bearer })).map(({ id }) => id);
    expect(ids).toContain(answer.result?.id);
    expect(ids).not.toContain(tokenId);
    return answer;
  });

  itAnswers('201 with an overlap, in which both tokens work and the old one says what replaced it', async () => {
    const { token, tokenId } = await service.world.token(owner);
    const answer = await rotate(tokenId, { overlapSeconds: 86_400 });
    expect(await Promise.all([token, answer.result?.token ?? ''].map(whoAmI))).toEqual([200, 200]);
    const old = await service.client.succeed(getPersonalAccessToken, { params: { tokenId }, as: owner.bearer });
    expect(old).toMatchObject({ replacedBy: answer.result?.id, expirationDate: answer.result?.replacedUntil });
    const left = Date.parse(old.expirationDate ?? '') - Date.now();
    expect(left).toBeGreaterThan(86_000_000);
    expect(left).toBeLessThanOrEqual(86_400_000);
    return answer;
  });

  itAnswers(
    '201 with the expiration of the old token, which the overlap does not prolong, or with another one',
    async () => {
      const until = new Date(Date.now() + 60_000).toISOString();
      const later = new Date(Date.now() + 120_000).toISOString();
      const [kept, changed] = [await service.world.token(owner, until), await service.world.token(owner, until)];
      const answers = [
        await rotate(kept.tokenId, { overlapSeconds: 3_600 }),
        await rotate(changed.tokenId, { expirationDate: later }),
      ];
      expect(answers.map(({ result }) => result?.expirationDate)).toEqual([until, later]);
      expect(answers[0]?.result?.replacedUntil).toBe(until);
      return answers;
    },
  );

  itAnswers('400 REQUEST_INVALID for a token that would outlive the token of the request', async () => {
    const until = new Date(Date.now() + 60_000).toISOString();
    const short = await service.world.token(owner, until);
    const expirationDate = new Date(Date.now() + 120_000).toISOString();
    const lasting = await service.world.token(owner);
    const as = bearerHeader(short.token);
    expect((await rotate(lasting.tokenId, {}, as)).result?.expirationDate).toBe(until);
    return rotate(short.tokenId, { expirationDate }, as);
  });

  itAnswers('409 TOKEN_ENDED for a token that expired or was rotated before', async () => {
    const [expired, rotated] = [
      await service.world.token(owner, new Date(Date.now() - 1).toISOString()),
      await service.world.token(owner),
    ];
    await rotate(rotated.tokenId, { overlapSeconds: 60 });
    return [
      await rotate(expired.tokenId),
      await rotate(rotated.tokenId),
      await rotate(rotated.tokenId, { overlapSeconds: 60 }),
    ];
  });

  itAnswers('404 TOKEN_NOT_FOUND for the token of another user, also to a System Admin', async () => {
    const { tokenId } = await service.world.token(owner);
    const [stranger, root] = await Promise.all([service.world.user(), service.world.systemAdmin()]);
    return [await rotate(tokenId, {}, stranger.bearer), await rotate(tokenId, {}, root.bearer)];
  });

  it.each([0, 60])('lets one of many rotations at once succeed (an overlap of %d seconds)', async (overlapSeconds) => {
    const user = await service.world.user();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => rotate(user.tokenId, { overlapSeconds }, user.account)),
    );
    const codes = answers.map(({ status, code }) => code ?? status).filter((code) => code !== 201);
    expect(codes).toHaveLength(4);
    expect(new Set(codes)).toEqual(new Set([overlapSeconds === 0 ? 'TOKEN_NOT_FOUND' : 'TOKEN_ENDED']));
    expect(await service.client.succeed(listPersonalAccessTokens, { as: user.account })).toHaveLength(
      overlapSeconds === 0 ? 1 : 2,
    );
  });

  itAnswers('201 when the reply of the table was lost after it committed', async () => {
    const functionId = rotatePersonalAccessToken.id;
    const { tokenId } = await service.world.token(owner);
    service.proxy.inject({ fault: 'commit-then-drop', functionId, operation: 'TransactWriteItems', times: 1 });
    return rotate(tokenId);
  });

  itAnswers('400 REQUEST_INVALID for an overlap beyond a day', () => rotate(owner.tokenId, { overlapSeconds: 86_401 }));
});
