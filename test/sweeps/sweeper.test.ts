import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deleteRepository } from '../../functions/repositories/contracts.ts';
import { createWorkspace, deleteWorkspaceByReference } from '../../functions/workspaces/contracts.ts';
import { readAssembly } from '../../infra/local/assembly.ts';
import { startRunner } from '../../infra/local/runner.ts';
import { keep } from '../../infra/local/schedules.ts';
import { packageTypes } from '../../shared/package-types.ts';
import { Table } from '../../shared/table/client.ts';
import { inlineGrantsMax } from '../../shared/table/identity/grants.ts';
import { setMember } from '../../shared/table/identity/memberships.ts';
import {
  grantShardKey,
  grantSweepKey,
  grantSweepsList,
  type Key,
  keyText,
  memberNameKey,
  membershipKey,
  sweepKey,
  tokenKey,
  tokenListKey,
  tokensOfWorkspaceList,
  trustKey,
  trustNameKey,
  userKey,
  verdictsKey,
  workspaceKey,
  workspaceOfUserKey,
} from '../../shared/table/keys.ts';
import { assemblyDirectory } from '../harness/assembly.ts';
import { allCases, sampledFaults } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { type Snapshot, snapshot } from '../harness/snapshot.ts';
import { insertGrants, storedLevels } from '../harness/stored-grants.ts';
import { putItems } from '../harness/stored-items.ts';
import { type Named, uniqueName } from '../harness/world.ts';

// Hundreds of memberships are written and read back.
jest.setTimeout(90_000);

const service = useService();

const membersCount = 250;

interface Person {
  readonly userId: string;
  readonly username: string;
}

/** People who are members, and users in name alone: of what is left behind, only grants have to do with a user. */
const crowd: readonly Person[] = Array.from({ length: membersCount }, () => ({
  userId: randomUUID(),
  username: uniqueName('crowd'),
}));

/** Through the table layer: over HTTP they would take most of a test. */
const insertMembers = async (workspaceId: string, people: readonly Person[]): Promise<void> => {
  const key = workspaceKey(workspaceId);
  const workspace = (await new Table().read([key])).find(key);
  if (!workspace) throw new Error(`There is no workspace ${workspaceId}.`);
  await putItems(people.map((person) => ({ ...userKey(person.username), ...person })));
  const insert = (person: Person) => setMember(new Table(), workspace, { ...person, role: 'member' }, undefined);
  for (let start = 0; start < people.length; start += 25)
    await Promise.all(people.slice(start, start + 25).map(insert));
};

/** Some of them have so many grants that they are in shards, some in each. */
const granted = crowd.slice(0, 8);
const grantsInShard = Math.ceil((inlineGrantsMax + 1) / 16);
const shardNames = Array.from('0123456789abcdef');
const shardsCount = granted.length * shardNames.length;

const insertGrantsInShards = async (workspaceId: string): Promise<void> => {
  const grants = Array.from({ length: grantsInShard }, () => shardNames)
    .flat()
    .map((shard) => ({ repositoryId: shard + randomUUID().slice(1), level: 'canView' as const }));
  for (const { userId } of granted) await insertGrants(workspaceId, userId, grants);
};

/** More tokens and trusts than one step of the job removes. */
const credentials: readonly string[] = Array.from({ length: 60 }, () => randomUUID());

const credentialItems = credentials.length * 4;

const tokenKeys = (workspaceId: string): Key[] =>
  credentials.flatMap((id) => [tokenKey(id), tokenListKey(tokensOfWorkspaceList(workspaceId), 'ci', id)]);

const trustKeys = (workspaceId: string): Key[] =>
  credentials.flatMap((id) => [trustKey(id), trustNameKey(workspaceId, id)]);

const credentialKeys = (workspaceId: string): Key[] => [...tokenKeys(workspaceId), ...trustKeys(workspaceId)];

const insertCredentials = async (keys: readonly Key[]): Promise<void> => {
  await putItems(keys.map((key) => ({ ...key, id: credentials.find((id) => key.sk.endsWith(id)) })));
};

const verdictKeys = (workspaceId: string): Key[] =>
  packageTypes.map((packageType) => verdictsKey(workspaceId, packageType));

const insertVerdicts = async (workspaceId: string): Promise<void> => {
  await new Table().writeUnrecorded(verdictKeys(workspaceId).map((key) => ({ put: { ...key, verdicts: [] } })));
};

const insertMembersWithGrants = async (workspaceId: string): Promise<void> => {
  await insertMembers(workspaceId, granted);
  await insertGrantsInShards(workspaceId);
};

const insertEverything = async (workspaceId: string, people = crowd): Promise<void> => {
  await insertCredentials(credentialKeys(workspaceId));
  await insertMembers(workspaceId, people);
  await insertGrantsInShards(workspaceId);
  await insertVerdicts(workspaceId);
};

const deleted = async (insert = insertEverything): Promise<Named> => {
  const workspace = await service.world.workspace();
  await insert(workspace.id);
  const { bearer } = await service.world.systemAdmin();
  await service.client.succeed(deleteWorkspaceByReference, { params: { workspace: workspace.id }, as: bearer });
  return workspace;
};

/** The same with as many members as take four pieces of 33. */
const deletedSmall = async (): Promise<Named> => deleted((id) => insertEverything(id, crowd.slice(0, 100)));

/** Everything that a deleted workspace leaves behind. */
const leftBehind = ({ id, name }: Named): string[] => {
  const ofMembers = crowd.flatMap(({ userId, username }): Key[] => [
    membershipKey(id, userId),
    memberNameKey(id, username),
    workspaceOfUserKey(userId, name, id),
  ]);
  const shards = granted.flatMap(({ userId }) => shardNames.map((shard) => grantShardKey(id, userId, shard)));
  return [sweepKey(id), ...ofMembers, ...shards, ...credentialKeys(id), ...verdictKeys(id)].map(keyText);
};

const stored = async (workspace: Named): Promise<number> => {
  const now = await snapshot();
  return leftBehind(workspace).filter((key) => now.has(key)).length;
};

const without = (before: Snapshot, keys: readonly string[]): Snapshot => {
  const rest = new Map(before);
  for (const key of keys) rest.delete(key);
  return rest;
};

const sweeps = () =>
  service.logs
    .map((line) => JSON.parse(line) as { message?: string; memberships?: number; workspaces?: number })
    .filter(({ message }) => message === 'sweep');

describe('The sweeping job', () => {
  it('removes all that a deleted workspace of 250 members left behind, and touches nothing else', async () => {
    const workspace = await deleted();
    // The same people in other workspaces, one of which has the name of the deleted one.
    const { bearer } = await service.world.systemAdmin();
    const successor = await service.client.succeed(createWorkspace, { body: { name: workspace.name }, as: bearer });
    await insertMembers(successor.id, crowd.slice(0, 40));
    await insertGrantsInShards(successor.id);
    await insertMembers((await service.world.workspace()).id, crowd.slice(20, 60));

    const before = await snapshot();
    const keys = leftBehind(workspace);
    expect(keys.every((key) => before.has(key))).toBe(true);
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(await snapshot()).toEqual(without(before, keys));
    expect(sweeps().at(-1)).toMatchObject({ workspaces: 1, memberships: membersCount, pending: false });
  });

  it('goes on with the others where one cannot be swept, and fails at the end', async () => {
    const [stuck, swept] = [await deletedSmall(), await deletedSmall()].toSorted((one, other) =>
      one.id < other.id ? -1 : 1,
    ) as [Named, Named];
    const key = membershipKey(stuck.id, randomUUID());
    // No key of an item may be so long.
    await putItems([{ ...key, userId: randomUUID(), username: 'x'.repeat(2_000) }]);
    expect(await service.runner.runScheduled('sweeper')).toBe(false);
    expect(await stored(swept)).toBe(0);
    expect(await stored(stuck)).toBeGreaterThan(0);
    expect(sweeps().at(-1)).toMatchObject({ pending: true });
    await new Table().writeUnrecorded([{ remove: key }]);
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(await stored(stuck)).toBe(0);
  });

  // One that has more of everything would be looked at again for the sake of the others.
  it.each([
    ['grants', insertMembersWithGrants],
    ['tokens', (id: string) => insertCredentials(tokenKeys(id))],
    ['trusts', (id: string) => insertCredentials(trustKeys(id))],
  ] as const)('removes from a deleted workspace more %s than one step does', async (_, insert) => {
    const workspace = await deleted(insert);
    expect(await stored(workspace)).toBeGreaterThan(100);
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(await stored(workspace)).toBe(0);
  });

  it('finishes in the next run what a failing table interrupted', async () => {
    const workspace = await deleted();
    service.proxy.inject({
      functionId: 'sweeper',
      operation: 'TransactWriteItems',
      fault: 'server-error',
      after: 3,
    });
    expect(await service.runner.runScheduled('sweeper')).toBe(false);
    // Three pieces of 33 memberships were done.
    expect(await stored(workspace)).toBe(
      (membersCount - 99) * 3 + shardsCount + credentialItems + packageTypes.length + 1,
    );
    expect(service.logs.some((line) => line.includes('The event failed 3 times'))).toBe(true);
    service.proxy.heal();
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(await stored(workspace)).toBe(0);
  });

  it.each(sampledFaults(['commit-then-drop', 'throttle', 'conflict', 'drop'] as const, allCases ? 2 : 1))(
    'goes on after a %s',
    async (fault) => {
      const workspace = await deletedSmall();
      service.proxy.inject({ functionId: 'sweeper', operation: 'TransactWriteItems', fault, after: 2, times: 1 });
      expect(await service.runner.runScheduled('sweeper')).toBe(true);
      expect(await stored(workspace)).toBe(0);
    },
  );

  it('goes on to the last of 60 deleted workspaces, of which the table shows 25 at a time', async () => {
    const ids = Array.from({ length: 60 }, () => randomUUID());
    const deletedAt = new Date().toISOString();
    await new Table().writeUnrecorded(
      ids.map((id) => ({ insert: { ...sweepKey(id), name: uniqueName(), deletedAt } })),
    );
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(sweeps().at(-1)).toMatchObject({ workspaces: 60, pending: false });
    const now = await snapshot();
    expect(ids.filter((id) => now.has(keyText(sweepKey(id))))).toEqual([]);
  });

  it('begins nothing when its time is nearly over, and says that there is more', async () => {
    const workspace = await deleted();
    const report = await service.runner.invoke('sweeper', {}, { timeoutSeconds: 14 });
    expect(report).toEqual({
      workspaces: 0,
      memberships: 0,
      grants: 0,
      contents: 0,
      items: 0,
      blobs: 0,
      pending: true,
    });
    expect(service.logs.some((line) => line.includes('"unfinishedSweeps":1'))).toBe(true);
    expect(await stored(workspace)).toBe(membersCount * 3 + shardsCount + credentialItems + packageTypes.length + 1);
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(await stored(workspace)).toBe(0);
  });

  it('goes on until its queues are empty', async () => {
    const entry = { name: 'gone', deletedAt: new Date().toISOString() };
    await new Table().writeUnrecorded(
      Array.from({ length: 26 }, () => ({ put: { ...sweepKey(randomUUID()), ...entry } })),
    );
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(sweeps().at(-1)).toMatchObject({ workspaces: 26, pending: false });
  });

  it('may run twice at once', async () => {
    const workspaces = [await deletedSmall(), await deletedSmall()];
    service.proxy.conflictsLikeDynamoDb = true;
    const before = await snapshot();
    const runs = [service.runner.runScheduled('sweeper'), service.runner.runScheduled('sweeper')];
    expect(await Promise.all(runs)).toEqual([true, true]);
    expect(await snapshot()).toEqual(without(before, workspaces.flatMap(leftBehind)));
  });
});

describe('The grants on deleted repositories', () => {
  /** Lets the deletions in the queue have been long enough ago. */
  const passAMinute = async (): Promise<void> => {
    const { items } = await new Table().query(grantSweepsList);
    for (const { position } of items) {
      const [deletedAt = '', workspaceId = '', repositoryId = ''] = position.split('#');
      const before = new Date(Date.parse(deletedAt) - 60_000).toISOString();
      await new Table().writeUnrecorded([
        { remove: grantSweepKey(deletedAt, workspaceId, repositoryId) },
        { put: { ...grantSweepKey(before, workspaceId, repositoryId) } },
      ]);
    }
  };
  const levelsOf = async ({ id }: Named, userId: string) => storedLevels(id, userId);

  it.each([
    ['the membership', 0],
    ['shards', inlineGrantsMax],
  ])('go from all members, and no others, once no request can add one: in %s', async (_, count) => {
    const { world, client, runner } = service;
    const others = Array.from({ length: count }, () => ({ repositoryId: randomUUID(), level: 'canView' as const }));
    const levelsOfOthers = others.map(({ repositoryId, level }) => [repositoryId, level] as const);
    const workspaces = [await world.workspace(), await world.workspace()];
    const { bearer } = await world.systemAdmin();
    const expected: [Named, string, Map<string, string>][] = [];
    for (const workspace of workspaces) {
      const repositories = await world.repositories(workspace, 5);
      const kept = repositories[2]?.id ?? '';
      for (const { userId } of crowd.slice(0, 40))
        expected.push([workspace, userId, new Map([...levelsOfOthers, [kept, 'canDeploy']])]);
      await insertMembers(workspace.id, crowd.slice(0, 40));
      const grants = [...others, ...repositories.map(({ id }) => ({ repositoryId: id, level: 'canDeploy' as const }))];
      for (const { userId } of crowd.slice(0, 40)) await insertGrants(workspace.id, userId, grants);
      for (const { id } of repositories.filter((each) => each.id !== kept))
        await client.succeed(deleteRepository, { params: { workspace: workspace.id, repository: id }, as: bearer });
    }
    expect(await runner.runScheduled('sweeper')).toBe(true);
    expect(sweeps().at(-1)).toMatchObject({ grants: 0, pending: false });
    await passAMinute();
    service.proxy.conflictsLikeDynamoDb = true;
    expect(await runner.runScheduled('sweeper')).toBe(true);
    expect(sweeps().at(-1)).toMatchObject({ grants: 2 * 40 * 4, pending: false });
    for (const [workspace, userId, levels] of expected) expect(await levelsOf(workspace, userId)).toEqual(levels);
    expect((await new Table().query(grantSweepsList)).items).toEqual([]);
  });
});

describe('The schedule of the sweeping job', () => {
  const { schedules, functions } = readAssembly(assemblyDirectory());

  it('is the one of the template', () => {
    const [schedule, ...others] = schedules;
    expect(others).toEqual([]);
    expect(functions.find(({ arn }) => arn === schedule?.functionArn)?.id).toBe('sweeper');
    expect(schedule?.everyMilliseconds).toBe(3_600_000);
  });

  it('begins with a run at the start of the service, told in the log', async () => {
    const { promise: swept, resolve } = Promise.withResolvers<string>();
    const runner = await startRunner({
      assembly: assemblyDirectory(),
      host: '127.0.0.1',
      port: 0,
      dataDir: ':memory:',
      keepsSchedules: true,
      logSink: (line, functionId) => functionId === 'sweeper' && line.includes('"sweep"') && resolve(line),
    });
    try {
      expect(JSON.parse(await swept)).toMatchObject({ message: 'sweep', workspaces: 0, pending: false });
    } finally {
      await runner.stop();
    }
  });

  it('goes on at its rate until the service stops', async () => {
    const stopping = new AbortController();
    let runs = 0;
    const schedule = { ruleArn: '', functionArn: '', everyMilliseconds: 20 };
    const { promise: thrice, resolve } = Promise.withResolvers<void>();
    const run = async (): Promise<void> => {
      runs += 1;
      if (runs === 3) resolve();
    };
    keep([schedule], run, stopping.signal);
    await thrice;
    stopping.abort();
    const before = runs;
    await pause(100);
    expect(runs).toBe(before);
  });
});
