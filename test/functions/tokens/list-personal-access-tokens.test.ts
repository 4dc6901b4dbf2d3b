import { createPersonalAccessToken, listPersonalAccessTokens } from '../../../functions/tokens/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { newToken } from '../../../shared/auth/tokens.ts';
import { Table } from '../../../shared/table/client.ts';
import {
  findTokenBySecret,
  insertToken,
  isPersonal,
  noteUse,
  removeToken,
} from '../../../shared/table/identity/tokens.ts';
import { tokenKey } from '../../../shared/table/keys.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { cursorOf, nextQuery } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import type { Actor } from '../../harness/world.ts';

const service = useService();

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly lastUsedAt: string | null;
}

const ask = async (as: string, query: Record<string, string | number> = {}) =>
  service.client.attempt(listPersonalAccessTokens, { query, as });
const list = async (as: string, query?: Record<string, string | number>) =>
  JSON.parse((await ask(as, query)).text) as Listed[];
const create = async (as: string, name: string) =>
  service.client.succeed(createPersonalAccessToken, { body: { name }, as });
const lastUse = async ({ account, tokenId }: Actor) =>
  (await list(account)).find(({ id }) => id === tokenId)?.lastUsedAt;
const hourNow = () => `${new Date().toISOString().slice(0, 13)}:00:00.000Z`;

/** The writes with which the authorizer noted a use. */
const notes = () => service.proxy.writes.filter(({ functionId }) => functionId === 'authorizer');

const setLastUse = async (tokenId: string, hour: string) =>
  new Table().update({
    update: tokenKey(tokenId),
    set: 'SET #lastUsedAt = :hour',
    if: 'attribute_exists(pk)',
    values: { ':hour': hour },
  });

describe('GET /1/users/personal-access-tokens', () => {
  itAnswers('200 with the own tokens in the order of names, then IDs, and no others’', async () => {
    const { bearer } = await service.world.user();
    const stranger = await service.world.user();
    await create(stranger.bearer, 'stranger');
    const names = ['ci!', 'ci', 'ci 2', 'ci', 'ci#2', 'z', 'A', 'é', '😀', 'x'.repeat(100), '😀'.repeat(100)];
    for (const name of names) await create(bearer, name);
    const answer = await ask(bearer);
    const listed = JSON.parse(answer.text) as Listed[];
    const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(listed.map(({ name }) => name)).toEqual([...names, 'ci'].toSorted(order));
    const ids = listed.filter(({ name }) => name === 'ci').map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    return answer;
  });

  itAnswers('200 with a token from before the rule about names, whatever its name', async () => {
    const { userId, username, bearer } = await service.world.user();
    const names = ['\u0001', '\u{10ffff}\u{10ffff}', '\uffff'];
    for (const name of names)
      await insertToken(new Table(), newToken(), { userId, username, name, expirationDate: null });
    const answer = await ask(bearer);
    const listed = JSON.parse(answer.text) as Listed[];
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    return answer;
  });

  itAnswers('200 with an expired token in it, so that its owner can delete it', async () => {
    const actor = await service.world.user();
    const { tokenId } = await service.world.token(actor, '2020-01-01T00:00:00.000Z');
    const answer = await ask(actor.bearer);
    expect(answer.text).toContain(tokenId);
    return answer;
  });

  it('walks the tokens in pages and sees each one once', async () => {
    const { bearer } = await service.world.user();
    for (let count = 0; count < 11; count += 1) await create(bearer, `t ${count % 3}`);
    const walked: Listed[] = [];
    for (let query: Record<string, string | number> | undefined = { limit: 5 }; query; ) {
      const page = await ask(bearer, query);
      walked.push(...(JSON.parse(page.text) as Listed[]));
      query = nextQuery(page);
    }
    expect(walked).toEqual(await list(bearer));
    expect(walked).toHaveLength(12);
  });

  itAnswers('400 REQUEST_INVALID for the cursor of another caller', async () => {
    const [one, two] = [await service.world.user(), await service.world.user()];
    await create(one.bearer, 'second');
    const cursor = cursorOf(await ask(one.bearer, { limit: 1 }));
    expect((await ask(one.bearer, { limit: 1, cursor })).status).toBe(200);
    return ask(two.bearer, { limit: 1, cursor });
  });

  describe('the last use', () => {
    it('is null before the first use and the hour of it afterwards', async () => {
      const actor = await service.world.user();
      expect(await lastUse(actor)).toBeNull();
      const before = hourNow();
      await service.client.call(getCurrentUser, { as: actor.bearer });
      expect([before, hourNow()]).toContain(await lastUse(actor));
    });

    it('is written once an hour, by the authorizer, and never by a password', async () => {
      const actor = await service.world.user();
      service.proxy.forget();
      await service.client.call(getCurrentUser, { as: actor.account });
      expect(notes()).toHaveLength(0);
      await service.client.call(getCurrentUser, { as: actor.bearer });
      expect(notes().map(({ operation, keys }) => [operation, keys])).toEqual([
        ['UpdateItem', [`TOKEN#${actor.tokenId} TOKEN`]],
      ]);
      service.runner.clearAuthorizerCache();
      await service.client.call(getCurrentUser, { as: actor.tokenAsPassword });
      expect(notes()).toHaveLength(1);
      expect(service.proxy.writes).toHaveLength(1);
    });

    it('moves on when the hour that is stored is an older one, and never back', async () => {
      const actor = await service.world.user();
      await setLastUse(actor.tokenId, '2020-01-01T00:00:00.000Z');
      await service.client.call(getCurrentUser, { as: actor.bearer });
      expect(await lastUse(actor)).toMatch(/:00:00\.000Z$/);
      expect(await lastUse(actor)).not.toMatch(/^2020/);
      await setLastUse(actor.tokenId, '2999-01-01T00:00:00.000Z');
      await service.client.call(getCurrentUser, { as: actor.tokenAsPassword });
      expect(await lastUse(actor)).toBe('2999-01-01T00:00:00.000Z');
    });

    it('is not noted for an expired token', async () => {
      const { token } = await service.world.token(await service.world.user(), '2020-01-01T00:00:00.000Z');
      service.proxy.forget();
      expect((await service.client.call(getCurrentUser, { as: `Bearer ${token}` })).status).toBe(401);
      expect(notes()).toHaveLength(0);
    });

    for (const fault of ['drop', 'commit-then-drop', 'throttle', 'conflict', 'server-error', 'hang'] as const)
      itAnswers(`200 in time although the use cannot be noted (${fault})`, async () => {
        const { bearer } = await service.world.user();
        service.proxy.inject({ fault, functionId: 'authorizer', operation: 'UpdateItem' });
        const started = Date.now();
        const answer = await service.client.call(getCurrentUser, { as: bearer });
        expect(Date.now() - started).toBeLessThan(2_000);
        return answer;
      });

    it('does not bring back a token that was removed meanwhile', async () => {
      const actor = await service.world.user();
      const table = new Table();
      const token = await findTokenBySecret(table, actor.token);
      if (!token || !isPersonal(token)) throw new Error('The token of the actor is not stored.');
      await removeToken(table, token);
      await noteUse(table, token);
      expect((await table.read([tokenKey(actor.tokenId)])).find(tokenKey(actor.tokenId))).toBeUndefined();
    });
  });
});
