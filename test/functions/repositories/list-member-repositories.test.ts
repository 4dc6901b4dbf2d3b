import { listMemberRepositories } from '../../../functions/repositories/contracts.ts';
import { inlineGrantsMax } from '../../../shared/table/identity/grants.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { nextQuery } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let repositories: Named[];
beforeAll(async () => {
  workspace = await service.world.workspace();
  repositories = (await service.world.repositories(workspace, inlineGrantsMax + 5)).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  );
});

const list = (by: Actor, user: string, query: Record<string, string | number> = {}) =>
  service.client.attempt(listMemberRepositories, {
    params: { workspace: workspace.name, user },
    query,
    as: by.bearer,
  });

const levels = ['canView', 'canDeploy', 'canManage'] as const;

/** A member with a level on each of the first repositories, and what the list says of it. */
const memberOf = async (count: number) => {
  const member = await service.world.member(workspace);
  const granted = repositories.slice(0, count).map(({ id, name }, index) => ({
    repositoryId: id,
    repositoryName: name,
    repositoryPermissionLevel: levels[index % levels.length] ?? 'canView',
  }));
  for (const { repositoryId, repositoryName, repositoryPermissionLevel } of granted)
    await service.world.grant(workspace, { id: repositoryId, name: repositoryName }, member, repositoryPermissionLevel);
  return { member, granted };
};

describe('GET /1/workspaces/{workspace}/members/{user}/repositories', () => {
  itAnswers('200 with the levels of a member by the names of repositories, to an admin and to the member', async () => {
    const { member, granted } = await memberOf(3);
    const answers = [
      await list(await service.world.member(workspace, 'admin'), member.username),
      await list(await service.world.systemAdmin(), member.userId),
      await list(member, member.userId),
    ];
    for (const { result } of answers) expect(result).toEqual(granted);
    return answers;
  });

  itAnswers('200 in pages, also where the levels of a member are in shards', async () => {
    const { member, granted } = await memberOf(inlineGrantsMax + 5);
    const first = await list(member, member.userId, { limit: 30 });
    const second = await list(member, member.userId, nextQuery(first));
    expect([...(first.result ?? []), ...(second.result ?? [])]).toEqual(granted);
    expect(second.headers.link).toBeUndefined();
    return [first, second];
  });

  itAnswers('200 with an empty array for an admin, who needs no grant, and for a member without one', async () => {
    const admin = await service.world.member(workspace, 'admin');
    const member = await service.world.member(workspace);
    const answers = [await list(admin, admin.userId), await list(admin, member.userId)];
    for (const { result } of answers) expect(result).toEqual([]);
    return answers;
  });

  itAnswers('403 FORBIDDEN for a member who asks about somebody else, whoever that is', async () => {
    const [one, other] = [await service.world.member(workspace), await service.world.member(workspace)];
    const stranger = await service.world.user();
    return Promise.all([list(one, other.userId), list(one, stranger.userId), list(one, 'nobody')]);
  });

  itAnswers('403 FORBIDDEN for the token of an admin that may do less than an admin', async () => {
    const [admin, member] = [await service.world.member(workspace, 'admin'), await service.world.member(workspace)];
    const { token } = await service.world.token(admin, null, { level: 'canView' });
    return list({ ...admin, bearer: `Bearer ${token}` }, member.userId);
  });

  itAnswers('404 MEMBER_NOT_FOUND for a user who is no member', async () =>
    list(await service.world.systemAdmin(), (await service.world.user()).username),
  );
});
