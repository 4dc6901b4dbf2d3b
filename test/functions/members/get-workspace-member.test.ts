import { randomUUID } from 'node:crypto';
import { getWorkspaceMember, listWorkspaceMembers } from '../../../functions/members/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const get = async (user: string, as?: string) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.call(getWorkspaceMember, { params: { workspace: workspace.name, user }, as: as ?? bearer });
};

describe('GET /1/workspaces/{workspace}/members/{user}', () => {
  itAnswers('200 by ID, by ID in capitals and by username, with the role', async () => {
    const [member, admin] = [await service.world.member(workspace), await service.world.member(workspace, 'admin')];
    const of = ({ userId, username }: typeof member, role: string) => ({
      workspaceId: workspace.id,
      userId,
      username,
      role,
    });
    const answers = await Promise.all(
      [member.userId, member.userId.toUpperCase(), member.username].map((id) => get(id)),
    );
    for (const { result } of answers) expect(result).toEqual(of(member, 'member'));
    const answer = await get(admin.username);
    expect(answer.result).toEqual(of(admin, 'admin'));
    return [...answers, answer];
  });

  itAnswers('200 for a member who looks up another one, as the list shows that one', async () => {
    const [member, other] = [await service.world.member(workspace), await service.world.member(workspace, 'admin')];
    const answer = await get(other.userId, member.bearer);
    const params = { workspace: workspace.id };
    const listed = await service.client.succeed(listWorkspaceMembers, { params, as: member.bearer });
    expect(answer.result).toMatchObject(listed.find(({ userId }) => userId === other.userId) ?? { userId: 'listed' });
    return answer;
  });

  itAnswers('200 with the new role right after it changed', async () => {
    const member = await service.world.member(workspace);
    expect((await get(member.username)).result?.role).toBe('member');
    await service.world.member(workspace, 'admin', member);
    const answer = await get(member.username);
    expect(answer.result?.role).toBe('admin');
    return answer;
  });

  itAnswers(
    '404 MEMBER_NOT_FOUND alike for a user who is no member, for an unknown one and for what names nobody',
    async () => {
      const [member, stranger] = [await service.world.member(workspace), await service.world.user()];
      const references = [stranger.userId, stranger.username, randomUUID(), service.world.name(), 'me', '#', 'A b'];
      const answers = await Promise.all(references.map((user) => get(user, member.bearer)));
      expect([...new Set(answers.map(({ text, problem }) => text.replace(problem?.requestId ?? '', '')))]).toHaveLength(
        1,
      );
      return answers;
    },
  );

  it('asks the table once, for all that it needs', async () => {
    const { userId, username } = await service.world.member(workspace);
    for (const user of [userId, username]) {
      await get(user);
      service.proxy.forget();
      await get(user);
      expect(service.proxy.callsOf('members/get-workspace-member').map(({ operation }) => operation)).toEqual([
        'BatchGetItem',
      ]);
    }
  });
});
