import {
  addMemberToRepositories,
  addWorkspaceMember,
  removeWorkspaceMember,
} from '../../functions/members/contracts.ts';
import {
  createLocalRepository,
  createRemoteRepository,
  createVirtualRepository,
  deleteRepository,
} from '../../functions/repositories/contracts.ts';
import { deleteWorkspace } from '../../functions/workspaces/contracts.ts';
import { permissionLevels } from '../../shared/access.ts';
import { Table } from '../../shared/table/client.ts';
import { membershipKey, workspaceKey } from '../../shared/table/keys.ts';
import type { Answer } from '../harness/client.ts';
import { Race } from '../harness/concurrency.ts';
import { whenAvailable } from '../harness/retry.ts';
import { useService } from '../harness/service.ts';
import { storedLevels } from '../harness/stored-grants.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

/** `npm run test:races` asks for more. */
const rounds = Number(process.env.RACE_ROUNDS ?? 10);
const patience = 30_000 + rounds * 1_000;

const service = useService();

const admin = async (): Promise<string> => (await service.world.systemAdmin()).bearer;

/** Each second round also with the conflicts that DynamoDB would produce, which the engine never does. */
const inRounds = async (run: (round: number) => Promise<void>): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) {
    service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
    await run(round);
  }
};

type StoredAttributes = Readonly<Record<string, unknown>>;

/** What a workspace has stored: its repositories by ID, their names, and the sum of its count, undefined without shards. */
const storedOf = async (workspaceId: string) => {
  const { items } = await new Table().query<StoredAttributes>({ pk: workspaceKey(workspaceId).pk, prefix: '' });
  const under = (prefix: string) => items.filter(({ position }) => position.startsWith(prefix)).map(({ item }) => item);
  const shards = under('COUNT#').map((shard) => Number(shard.repositoryCount));
  return {
    exists: items.some(({ position }) => position === 'WORKSPACE'),
    ids: under('REPOSITORY#').map((item) => String(item.repositoryId)),
    namedIds: under('REPOSITORYNAME#').map((item) => String(item.id)),
    count: shards.length === 0 ? undefined : shards.reduce((sum, shard) => sum + shard, 0),
  };
};

describe('Deleting a workspace while repositories are created in it', () => {
  const creates = {
    local: async (workspace: Named, as: string) =>
      service.client.call(createLocalRepository, {
        params: { workspace: workspace.id },
        body: { name: uniqueName(), packageType: 'npm' },
        as,
      }),
    remote: async (workspace: Named, as: string) =>
      service.client.call(createRemoteRepository, {
        params: { workspace: workspace.name },
        body: {
          name: uniqueName(),
          packageType: 'npm',
          remoteRepositoryUrl: 'https://registry.npmjs.org/',
          isRemoteCacheEnabled: false,
        },
        as,
      }),
    virtual: async (workspace: Named, as: string, child: string) =>
      service.client.call(createVirtualRepository, {
        params: { workspace: workspace.id },
        body: { name: uniqueName(), packageType: 'npm', childRepositoryIds: [child] },
        as,
      }),
  };

  /** Deletes the workspace, after its one repository where it has one. */
  const empty = async (workspace: Named, child: string | undefined, as: string): Promise<Answer> => {
    const params = { workspace: workspace.id };
    if (child) await service.client.call(deleteRepository, { params: { ...params, repository: child }, as });
    return service.client.call(deleteWorkspace, { body: { workspaceId: workspace.id }, as });
  };

  it.each(['local', 'remote', 'virtual', 'all'] as const)(
    '%s: no orphan, no drift of the count, no 5xx',
    async (kind) => {
      const as = await admin();
      const race = new Race(`Workspace deletion against ${kind}`, 'deleted', 'created');
      await inRounds(async () => {
        const workspace = await service.world.workspace();
        const needsChild = kind === 'virtual' || kind === 'all';
        const child = needsChild ? (await service.world.repository(workspace)).id : '';
        const kinds = kind === 'all' ? (['local', 'remote', 'virtual'] as const) : [kind];
        const [deleted, ...created] = await Promise.all([
          race.start(0, async () => empty(workspace, child || undefined, as)),
          ...kinds.map(async (each) => race.start(1, async () => creates[each](workspace, as, child))),
        ]);
        const stored = await storedOf(workspace.id);
        const made = created.flatMap(({ result }) => result?.id ?? []);
        expect([deleted.code ?? 'deleted']).toEqual([deleted.status === 200 ? 'deleted' : 'WORKSPACE_NOT_EMPTY']);
        for (const { status, code } of created)
          if (status !== 201) expect(['WORKSPACE_NOT_FOUND', 'REQUEST_INVALID']).toContain(code);
        if (deleted.status === 200) {
          expect({ made, stored }).toEqual({
            made: [],
            stored: { exists: false, ids: [], namedIds: [], count: undefined },
          });
          race.won(0);
          return;
        }
        expect(stored.ids).toEqual(expect.arrayContaining(made));
        expect(stored.namedIds.toSorted()).toEqual(stored.ids.toSorted());
        expect(stored).toMatchObject({ exists: true, count: stored.ids.length });
        race.won(1);
      });
      race.expectBothToHaveWon();
    },
    patience,
  );
});

describe('A batch while the member changes', () => {
  const repositoriesOfBatch = 12;
  let workspace: Named;
  let repositories: readonly Named[];
  let member: Actor;

  beforeAll(async () => {
    workspace = await service.world.workspace();
    repositories = await Promise.all(
      Array.from({ length: repositoriesOfBatch }, () => service.world.repository(workspace)),
    );
    member = await service.world.user();
  });

  const setRole = async (role: 'admin' | 'member'): Promise<Answer> =>
    whenAvailable(async () =>
      service.client.call(addWorkspaceMember, {
        params: { workspace: workspace.id },
        body: { userId: member.userId, role },
        as: await admin(),
      }),
    );
  const remove = async (): Promise<Answer> =>
    whenAvailable(async () =>
      service.client.call(removeWorkspaceMember, {
        params: { workspace: workspace.id, user: member.userId },
        as: await admin(),
      }),
    );
  const batch = async (): Promise<Answer> =>
    service.client.call(addMemberToRepositories, {
      params: { workspace: workspace.id },
      body: {
        userId: member.userId,
        repositories: repositories.map(({ id, name }, index) => ({
          repositoryReference: index % 2 ? id : name,
          repositoryPermissionLevel: permissionLevels[index % 3] ?? 'canView',
        })),
      },
      as: await admin(),
    });

  const stored = async () => {
    const key = membershipKey(workspace.id, member.userId);
    const [read, levels] = await Promise.all([new Table().read([key]), storedLevels(workspace.id, member.userId)]);
    return { membership: read.find(key), grants: levels.size };
  };

  const changes = {
    removal: { change: remove, after: undefined },
    promotion: { change: async () => setRole('admin'), after: 'admin' },
    'removal and return': {
      change: async () => {
        await remove();
        return setRole('member');
      },
      after: 'member',
    },
    'promotion and demotion': {
      change: async () => {
        await setRole('admin');
        return setRole('member');
      },
      after: 'member',
    },
  } as const;

  it.each(Object.keys(changes) as (keyof typeof changes)[])(
    '%s: all grants or none, and none for an outsider or an admin',
    async (name) => {
      const { change, after } = changes[name];
      const race = new Race(`Batch against ${name}`, 'granted', 'refused');
      await inRounds(async () => {
        if ((await stored()).membership) await remove();
        await setRole('member');
        const [granted, changed] = await Promise.all([race.start(0, batch), race.start(1, change)]);
        expect(changed.status).toBeLessThan(300);
        if (granted.status !== 200)
          expect({ status: granted.status, code: granted.code }).toEqual({ status: 400, code: 'REQUEST_INVALID' });
        const { membership, grants } = await stored();
        expect(membership?.role).toBe(after);
        expect(after === 'member' ? [0, repositoriesOfBatch] : [0]).toContain(grants);
        // Refused means that nothing was granted; what was granted may have ended with the change.
        if (granted.status !== 200) expect(grants).toBe(0);
        race.won(granted.status === 200 ? 0 : 1);
      });
      race.expectBothToHaveWon();
    },
    patience,
  );
});

describe('Creating a virtual repository while a child is deleted', () => {
  it(
    'one of the two is refused',
    async () => {
      const as = await admin();
      const race = new Race('Virtual create against deletion of a child', 'created', 'deleted');
      const workspace = await service.world.workspace();
      const kept = await service.world.repository(workspace);
      await inRounds(async () => {
        const child = await service.world.repository(workspace);
        const params = { workspace: workspace.id };
        const childRepositoryIds = [kept.id, child.id];
        const body = { name: uniqueName(), packageType: 'npm' as const, childRepositoryIds };
        const [created, deleted] = await Promise.all([
          race.start(0, async () => service.client.call(createVirtualRepository, { params, body, as })),
          race.start(1, async () =>
            service.client.call(deleteRepository, { params: { ...params, repository: child.id }, as }),
          ),
        ]);
        const outcome = created.status === 201 ? 'created' : 'deleted';
        expect([created.code, deleted.code]).toEqual(
          outcome === 'created' ? [undefined, 'REPOSITORY_IN_USE'] : ['REQUEST_INVALID', undefined],
        );
        race.won(outcome === 'created' ? 0 : 1);
      });
      const { ids, count } = await storedOf(workspace.id);
      expect(count).toBe(ids.length);
      race.expectBothToHaveWon();
    },
    patience,
  );
});
