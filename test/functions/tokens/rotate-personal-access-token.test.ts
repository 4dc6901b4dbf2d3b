import {
  getPersonalAccessToken,
  listPersonalAccessTokens,
  rotatePersonalAccessToken,
  rotateWorkspaceToken,
} from '../../../functions/tokens/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { getWorkspace } from '../../../functions/workspaces/contracts.ts';
import { bearerHeader, tokenHeader } from '../../harness/credentials.ts';
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

describe('A stream of requests during a rotation with an overlap of 2 seconds', () => {
  interface Tried {
    readonly secret: string;
    readonly status: number;
    readonly startedAt: number;
    readonly endedAt: number;
  }

  it('has no failure of either secret inside the overlap and no success of the old one after it: both kinds, each form', async () => {
    const { client, world } = service;
    const workspace = await world.workspace();
    const admin = await world.member(workspace, 'admin');
    const params = { workspace: workspace.id };
    const request = { body: { overlapSeconds: 2 }, as: admin.account };
    const ask = async (secret: string, as: string): Promise<Tried> => {
      const startedAt = Date.now();
      const { status } = await client.call(getWorkspace, { params, as });
      return { secret, status, startedAt, endedAt: Date.now() };
    };
    const ofWorkspace = await world.workspaceToken(workspace, 'canView');
    const kinds = [
      {
        old: admin.token,
        replace: () => client.succeed(rotatePersonalAccessToken, { params: { tokenId: admin.tokenId }, ...request }),
      },
      {
        old: ofWorkspace.token,
        replace: () =>
          client.succeed(rotateWorkspaceToken, { params: { ...params, tokenId: ofWorkspace.tokenId }, ...request }),
      },
    ];
    const observed = kinds.map(async ({ old, replace }) => {
      let rotated: Awaited<ReturnType<typeof replace>> | undefined;
      const until = () => (rotated ? Date.parse(rotated.replacedUntil ?? '1970-01-01') : Infinity);
      const streams = [bearerHeader, tokenHeader].map(async (form) => {
        const tried: Tried[] = [];
        // A busy machine takes as long as it needs to ask with the old secret after the overlap.
        while (!tried.some(({ secret, startedAt }) => secret === old && startedAt > until()))
          for (const secret of rotated ? [old, rotated.token] : [old]) tried.push(await ask(secret, form(secret)));
        return tried;
      });
      rotated = await replace();
      const tried = (await Promise.all(streams)).flat();
      const replacement = rotated.token;
      return {
        failed: tried.filter(({ secret, status, endedAt }) => status !== 200 && (secret !== old || endedAt < until())),
        late: tried.filter(({ secret, status, startedAt }) => secret === old && startedAt > until() && status !== 401),
        // What makes the two empty lists mean something.
        inside: [old, replacement].map((each) =>
          tried.some(({ secret, status, endedAt }) => secret === each && status === 200 && endedAt < until()),
        ),
      };
    });
    const expected = { failed: [], late: [], inside: [true, true] };
    expect(await Promise.all(observed)).toEqual([expected, expected]);
    // The third form has no token.
    expect((await ask('', admin.account)).status).toBe(200);
  });
});
