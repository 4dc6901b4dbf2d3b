import { randomUUID } from 'node:crypto';
import {
  addWorkspaceMember,
  listRepositoryMembers,
  listWorkspaceMembers,
} from '../../../functions/members/contracts.ts';
import { createLocalRepository, getRepository, listRepositories } from '../../../functions/repositories/contracts.ts';
import { statusCounts } from '../../harness/concurrency.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { rowsOf } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const add = async (body: unknown, as?: string) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.attempt(addWorkspaceMember, { params: { workspace: workspace.id }, body, as: as ?? bearer });
};

const roleOf = async ({ userId }: Actor) => {
  const { bearer } = await service.world.systemAdmin();
  const answer = await service.client.call(listWorkspaceMembers, { params: { workspace: workspace.id }, as: bearer });
  return rowsOf<{ userId: string; role: string }>(answer).find((row) => row.userId === userId)?.role;
};

/** Whether an actor passes for an admin: only admins create repositories. */
const createsAs = async ({ bearer }: Actor) => {
  const body = { name: service.world.name(), packageType: 'npm' } as const;
  return (await service.client.call(createLocalRepository, { params: { workspace: workspace.id }, body, as: bearer }))
    .status;
};

describe('POST /1/workspaces/{workspace}/members', () => {
  itAnswers('201 with the record for who was no member, a plain member unless the role is given', async () => {
    const [plain, admin, explicit] = [
      await service.world.user(),
      await service.world.user(),
      await service.world.user(),
    ];
    const answers = [
      await add({ userId: plain.userId }),
      await add({ userId: admin.userId, role: 'admin' }),
      await add({ userId: explicit.userId, role: 'member' }),
    ];
    const expected = [
      [plain, 'member'],
      [admin, 'admin'],
      [explicit, 'member'],
    ] as const;
    expect(answers.map(({ result }) => result)).toEqual(
      expected.map(([{ userId, username }, role]) => ({ workspaceId: workspace.id, userId, username, role })),
    );
    expect(await Promise.all(expected.map(([actor]) => createsAs(actor)))).toEqual([403, 201, 403]);
    return answers;
  });

  itAnswers('200 for who is a member already, whose role is then the one that was sent', async () => {
    const actor = await service.world.member(workspace);
    const answers = [];
    for (const role of ['member', 'admin', 'admin', undefined, 'member'] as const) {
      const answer = await add({ userId: actor.userId, role });
      expect(answer.result?.role).toBe(role ?? 'member');
      expect(await roleOf(actor)).toBe(role ?? 'member');
      expect(await createsAs(actor)).toBe(role === 'admin' ? 201 : 403);
      answers.push(answer);
    }
    return answers;
  });

  itAnswers('201 when an admin of the workspace asks, by its name too, and for an ID in capitals', async () => {
    const admin = await service.world.member(workspace, 'admin');
    const [one, two] = [await service.world.user(), await service.world.user()];
    const byName = {
      params: { workspace: workspace.name },
      body: { userId: two.userId.toUpperCase() },
      as: admin.account,
    };
    const answers = [
      await add({ userId: one.userId }, admin.account),
      await service.client.call(addWorkspaceMember, byName),
    ];
    expect(answers.map(({ result }) => result?.userId)).toEqual([one.userId, two.userId]);
    return answers;
  });

  itAnswers('201 for a system admin, who then has the role beside all rights', async () => {
    const admin = await service.world.user({ userRole: 'system-admin' });
    expect(await createsAs(admin)).toBe(201);
    const answer = await add({ userId: admin.userId });
    expect(await roleOf(admin)).toBe('member');
    expect(await createsAs(admin)).toBe(201);
    return answer;
  });

  it('ends the permissions on repositories with the promotion, and the demotion brings none back', async () => {
    const repositories = [await service.world.repository(workspace), await service.world.repository(workspace)];
    const actor = await service.world.member(workspace);
    for (const repository of repositories) await service.world.grant(workspace, repository, actor, 'canManage');
    const params = { workspace: workspace.id };
    const visible = async () =>
      rowsOf(await service.client.call(listRepositories, { params, as: actor.bearer })).length;
    expect(await visible()).toBe(2);
    await add({ userId: actor.userId, role: 'admin' });
    expect(await visible()).toBeGreaterThan(2);
    const { bearer } = await service.world.systemAdmin();
    for (const { id } of repositories) {
      const holders = await service.client.call(listRepositoryMembers, {
        params: { ...params, repository: id },
        as: bearer,
      });
      expect(rowsOf(holders)).toEqual([]);
    }
    await add({ userId: actor.userId, role: 'member' });
    expect(await visible()).toBe(0);
    for (const { id, name } of repositories)
      for (const repository of [id, name]) {
        const answer = await service.client.call(getRepository, {
          params: { ...params, repository },
          as: actor.bearer,
        });
        expect(answer.code).toBe('REPOSITORY_NOT_FOUND');
      }
  });

  it('keeps the permissions of a member who is made a member again', async () => {
    const repository = await service.world.repository(workspace);
    const actor = await service.world.member(workspace);
    await service.world.grant(workspace, repository, actor, 'canView');
    await add({ userId: actor.userId });
    const params = { workspace: workspace.id, repository: repository.id };
    expect((await service.client.call(getRepository, { params, as: actor.bearer })).status).toBe(200);
  });

  itAnswers('404 USER_NOT_FOUND for an unknown ID, a username and any other text', async () => {
    const { username } = await service.world.user();
    service.proxy.forget();
    const answers = [];
    for (const userId of [randomUUID(), username, '', 'me', '#', 'x'.repeat(100)]) answers.push(await add({ userId }));
    expect(service.proxy.writes.filter(({ functionId }) => functionId !== 'authorizer')).toEqual([]);
    const [unknown, ...others] = answers.map(({ problem }) => problem?.detail);
    expect(unknown).toBe('This user does not exist.');
    for (const detail of others) expect(detail).toMatch(/^userId must be the ID of a user: a UUID, not a username\. /);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for each body that breaks a rule', async () => {
    const { userId } = await service.world.user();
    const bodies = [
      {},
      { role: 'member' },
      { userId: 1 },
      { userId: null },
      { userId: [userId] },
      { userId: 'x'.repeat(101) },
      { userId, role: 'owner' },
      { userId, role: 'Admin' },
      { userId, username: 'x' },
    ];
    const answers = await Promise.all(bodies.map((body) => add(body)));
    for (const { problem } of answers) expect(problem?.violations).not.toHaveLength(0);
    return answers;
  });

  it('adds once when 16 ask for it at once', async () => {
    const { userId } = await service.world.user();
    service.proxy.conflictsLikeDynamoDb = true;
    const answers = await Promise.all(Array.from({ length: 16 }, () => add({ userId })));
    expect(statusCounts(answers)).toEqual({ 200: 15, 201: 1 });
  });

  it('leaves one role when two roles are set at once, and an admin without permissions', async () => {
    const repository = await service.world.repository(workspace);
    const actor = await service.world.member(workspace);
    for (let round = 0; round < 20; round += 1) {
      await add({ userId: actor.userId, role: 'member' });
      await service.world.grant(workspace, repository, actor, 'canView');
      const roles = ['admin', 'member'] as const;
      const answers = await Promise.all(roles.map((role) => add({ userId: actor.userId, role })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      await add({ userId: actor.userId, role: 'member' });
      const params = { workspace: workspace.id, repository: repository.id };
      // Whichever was first, the promotion came after the grant.
      expect((await service.client.call(getRepository, { params, as: actor.bearer })).code).toBe(
        'REPOSITORY_NOT_FOUND',
      );
    }
  });
});
