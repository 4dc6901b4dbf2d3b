import { listRepositoryMembers } from '../../../functions/members/contracts.ts';
import type { PermissionLevel } from '../../../shared/access.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { cursorOf, nextQuery } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';

const service = useService();

let workspace: Named;
let repository: Named;
beforeAll(async () => {
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
});

const list = async (by: string, of: Named = repository, query: Record<string, string | number> = {}) =>
  service.client.attempt(listRepositoryMembers, {
    params: { workspace: workspace.name, repository: of.name },
    query,
    as: by,
  });

const memberNamed = async (prefix: string): Promise<Actor> =>
  service.world.member(workspace, 'member', await service.world.user({ username: uniqueName(prefix) }));

const admin = async (): Promise<string> => (await service.world.systemAdmin()).bearer;

describe('GET /1/workspaces/{workspace}/repositories/{repository}/members', () => {
  itAnswers('200 with who holds a level on this repository, by username, right after the grant', async () => {
    const other = await service.world.repository(workspace);
    const [z, a, m] = await Promise.all(['z', 'a', 'm'].map(memberNamed));
    const grants: [Actor | undefined, PermissionLevel][] = [
      [z, 'canView'],
      [a, 'canManage'],
      [m, 'canDeploy'],
    ];
    for (const [index, [actor, level]] of grants.entries()) {
      if (!actor) throw new Error('A member is missing.');
      await service.world.grant(workspace, repository, actor, level);
      const { result = [] } = await list(await admin());
      expect(result).toHaveLength(index + 1);
    }
    if (z) await service.world.grant(workspace, other, z, 'canManage');
    await Promise.all([service.world.member(workspace), service.world.member(workspace, 'admin')]);
    const answer = await list(await admin());
    const expected = [grants[1], grants[2], grants[0]].map((grant) => ({
      userId: grant?.[0]?.userId,
      username: grant?.[0]?.username,
      repositoryPermissionLevel: grant?.[1],
    }));
    expect(answer.result).toEqual(expected);
    return answer;
  });

  itAnswers('200 with an empty array when nobody holds a level', async () => {
    const answer = await list(await admin(), await service.world.repository(workspace));
    expect(answer.text).toBe('[]');
    return answer;
  });

  itAnswers('200 for an admin of the workspace, and for who can manage the repository', async () => {
    const [workspaceAdmin, manager] = await Promise.all([
      service.world.member(workspace, 'admin'),
      service.world.member(workspace),
    ]);
    await service.world.grant(workspace, repository, manager, 'canManage');
    return [await list(workspaceAdmin.bearer), await list(manager.bearer)];
  });

  itAnswers('403 FORBIDDEN for who holds a lower level on it', async () => {
    const actors = await Promise.all([service.world.member(workspace), service.world.member(workspace)]);
    const levels = ['canView', 'canDeploy'] as const;
    for (const [index, actor] of actors.entries())
      await service.world.grant(workspace, repository, actor, levels[index] ?? 'canView');
    return Promise.all(actors.map(({ bearer }) => list(bearer)));
  });

  itAnswers(
    '404 REPOSITORY_NOT_FOUND for a member without a level, also one who manages another repository',
    async () => {
      const other = await service.world.repository(workspace);
      const member = await service.world.member(workspace);
      await service.world.grant(workspace, other, member, 'canManage');
      return list(member.bearer);
    },
  );

  it('walks in pages in the same order, each member once', async () => {
    const home = await service.world.repository(workspace);
    for (let count = 0; count < 5; count += 1)
      await service.world.grant(workspace, home, await memberNamed(`p${count}`), 'canView');
    const whole = (await list(await admin(), home)).result ?? [];
    const walked: unknown[] = [];
    let cursor: string | undefined;
    do {
      const answer = await list(await admin(), home, { limit: 2, ...(cursor ? { cursor } : {}) });
      walked.push(...(answer.result ?? []));
      cursor = nextQuery(answer)?.cursor;
    } while (cursor);
    expect(walked).toEqual(whole);
    expect(walked).toHaveLength(5);
  });

  itAnswers('400 REQUEST_INVALID for the cursor of another repository', async () => {
    const [one, other] = [await service.world.repository(workspace), await service.world.repository(workspace)];
    const members = [await service.world.member(workspace), await service.world.member(workspace)];
    for (const home of [one, other])
      for (const member of members) await service.world.grant(workspace, home, member, 'canView');
    const cursor = cursorOf(await list(await admin(), one, { limit: 1 }));
    expect((await list(await admin(), one, { cursor })).result).toHaveLength(1);
    return list(await admin(), other, { cursor });
  });
});
