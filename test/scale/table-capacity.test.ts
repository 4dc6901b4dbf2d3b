import { randomUUID } from 'node:crypto';
import {
  addMemberToRepositories,
  listRepositoryMembers,
  listWorkspaceMembers,
} from '../../functions/members/contracts.ts';
import { getRepository, listRepositories } from '../../functions/repositories/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { grantsMax } from '../../shared/table/identity/grants.ts';
import { repositoryKey, repositoryNameKey } from '../../shared/table/keys.ts';
import type { LooseInput } from '../harness/client.ts';
import { buildFixture, type Fixture } from '../harness/fixture.ts';
import { useService } from '../harness/service.ts';
import { insertGrants } from '../harness/stored-grants.ts';
import { insertMember, insertRepositories, insertUsers, putItems, storedWorkspace } from '../harness/stored-items.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

const service = useService();

let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
  service.proxy.countsUnits = true;
});

describe('Read units that many grants and long lists cost', () => {
  const repositoryCount = 300;
  const names = Array.from({ length: repositoryCount }, (_, index) => `r-${String(index).padStart(3, '0')}`);
  let workspace: Named;
  let ids: string[];
  let bot: Actor;

  const grantsOn = (repositoryIds: readonly string[]) =>
    repositoryIds.map((repositoryId) => ({ repositoryId, level: 'canDeploy' }) as const);
  const randomIds = (length: number) => Array.from({ length }, () => randomUUID());

  beforeAll(async () => {
    workspace = await service.world.workspace();
    [ids, bot] = await Promise.all([insertRepositories(workspace.id, names), service.world.member(workspace)]);
    await insertGrants(workspace.id, bot.userId, grantsOn([...ids, ...randomIds(grantsMax - repositoryCount)]));
  });

  /** Sends a request when the process is warm for it. */
  const warm = async (contract: Contract, request: LooseInput) => {
    await service.client.attempt(contract, request);
    service.proxy.forget();
    const { status, code, text } = await service.client.attempt(contract, request);
    return {
      status,
      code,
      rows: status === 200 ? (JSON.parse(text) as unknown[]).length : 0,
      units: service.proxy.consumed(false),
    };
  };
  const list = (contract: Contract, { id }: Named, query: LooseInput['query'], as: string, repository?: string) =>
    warm(contract, { params: { workspace: id, ...(repository && { repository }) }, query, as });

  it('at most 8 to admit a member with 7,500 grants, whatever the repository', async () => {
    const ofEachShard = new Map(ids.map((id) => [id.charAt(0), id]));
    expect(ofEachShard.size).toBe(16);
    for (const repository of ofEachShard.values()) {
      const params = { workspace: workspace.id, repository };
      service.proxy.forget();
      await service.client.succeed(getRepository, { params, as: bot.bearer });
      const units = service.proxy.callsOf(getRepository.id).reduce((sum, call) => sum + (call.units ?? Number.NaN), 0);
      expect(units).toBeLessThanOrEqual(8);
    }
  });

  it('one transaction of at most 19 actions for a batch of 100 to that member', async () => {
    const repositories = ids.slice(0, 100).map((repositoryReference) => ({
      repositoryReference,
      repositoryPermissionLevel: 'canManage',
    }));
    service.proxy.forget();
    const { status } = await service.client.attempt(addMemberToRepositories, {
      params: { workspace: workspace.id },
      body: { userId: bot.userId, repositories },
      as: fixture.systemAdmin.bearer,
    });
    expect(status).toBe(200);
    const calls = service.proxy.callsOf(addMemberToRepositories.id);
    expect(calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'BatchGetItem', 'TransactWriteItems']);
    expect(calls.at(-1)?.keys.length).toBeLessThanOrEqual(19);
    // Each of 22 items besides the repositories: at most three for a shard.
    expect(service.proxy.consumed(false)).toBeLessThanOrEqual(100 + 6 + 16 * 3);
  });

  it('what the page holds, for a page of the repositories that the member may see', async () => {
    const one = await list(listRepositories, workspace, { limit: 1 }, bot.bearer);
    expect(one).toMatchObject({ status: 200, rows: 1 });
    // Who calls, the names, and two repositories with a shard each.
    expect(one.units).toBeLessThanOrEqual(4 + 1 + 2 * (1 + 3));
    const hundred = await list(listRepositories, workspace, { limit: 100 }, bot.bearer);
    expect(hundred).toMatchObject({ status: 200, rows: 100 });
    expect(hundred.units).toBeLessThanOrEqual(4 + 8 + 16 * 3 + 101);
  });

  it('one for each member of a workspace, two for each whose permission on a repository is looked up', async () => {
    const count = 60;
    const stored = await storedWorkspace(workspace.id);
    for (const { userId, username } of await insertUsers(count - 1)) {
      await insertMember(stored, { userId, username, role: 'member' });
      await insertGrants(workspace.id, userId, grantsOn(randomIds(1_000)));
    }
    const as = fixture.systemAdmin.bearer;
    const members = await list(listWorkspaceMembers, workspace, {}, as);
    expect(members).toMatchObject({ status: 200, rows: count });
    expect(members.units).toBeLessThanOrEqual(4 + 5 + count);
    // Nobody holds one: the page is empty, and leads to the next one.
    const [repository] = await insertRepositories(workspace.id, [uniqueName()]);
    const holders = await list(listRepositoryMembers, workspace, { limit: 1 }, as, repository);
    expect(holders).toMatchObject({ status: 200, rows: 0 });
    // Some steps of a query, and 26 members, of whom one has 7,500 grants.
    expect(holders.units).toBeLessThanOrEqual(6 + 8 + 26 * 2 + 2);
    const all = await list(listRepositoryMembers, workspace, {}, as, repository);
    expect(all).toMatchObject({ status: 200, rows: 0 });
    expect(all.units).toBeLessThanOrEqual(6 + 5 + count * 2 + 2);
  });

  it('400 LIST_TOO_LONG for 5,001 repositories costs their names, and 5,000 are a list', async () => {
    const large = await service.world.workspace();
    const kind = { packageType: 'npm', repositoryType: 'local' };
    const itemsOf = (index: number) => {
      const [repositoryId, name] = [randomUUID(), `r-${index}`];
      const made = { workspaceId: large.id, countShare: 0, createdAt: new Date().toISOString(), createdBy: large.id };
      return [
        { ...repositoryNameKey(large.id, name), id: repositoryId, ...kind },
        { ...repositoryKey(large.id, repositoryId), repositoryId, name, ...kind, ...made },
      ];
    };
    await putItems(Array.from({ length: 5_000 }, (_, index) => itemsOf(index)).flat());
    const as = fixture.systemAdmin.bearer;
    const params = { workspace: large.id };
    expect(await service.client.attempt(listRepositories, { params, as })).toMatchObject({ status: 200 });
    await putItems(itemsOf(5_000));
    const refused = await list(listRepositories, large, {}, as);
    expect(refused).toMatchObject({ status: 400, code: 'LIST_TOO_LONG' });
    expect(refused.units).toBeLessThanOrEqual(300);
  }, 60_000);
});
