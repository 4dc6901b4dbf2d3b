import { listWorkspaceMembers, removeWorkspaceMember } from '../../../functions/members/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { rowsOf } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();

const ask = ({ id }: Named, { bearer }: Actor) =>
  service.client.call(listWorkspaceMembers, { params: { workspace: id }, as: bearer });

const namesOf = async (workspace: Named) =>
  rowsOf<{ username: string }>(await ask(workspace, await service.world.systemAdmin())).map(({ username }) => username);

describe('GET /1/workspaces/{workspace}/members', () => {
  itAnswers('200 with ID, name and role of each member, whichever member asks', async () => {
    const workspace = await service.world.workspace();
    const [admin, member] = [await service.world.member(workspace, 'admin'), await service.world.member(workspace)];
    const answers = [await ask(workspace, member), await ask(workspace, admin)];
    const expected = [
      { userId: admin.userId, username: admin.username, role: 'admin' },
      { userId: member.userId, username: member.username, role: 'member' },
    ].toSorted((one, other) => (one.username < other.username ? -1 : 1));
    for (const answer of answers) expect(rowsOf(answer)).toEqual(expected);
    return answers;
  });

  itAnswers('200 with an empty array for a workspace without members', async () => {
    const answer = await ask(await service.world.workspace(), await service.world.systemAdmin());
    expect(answer.text).toBe('[]');
    return answer;
  });

  it('is in the order of usernames', async () => {
    const workspace = await service.world.workspace();
    const usernames = ['m', 'm-1', 'm.1', 'm_1', 'm0', 'ma', '0m', '_m', '-m', '.m'];
    for (const username of usernames)
      await service.world.member(workspace, 'member', await service.world.user({ username }));
    expect(await namesOf(workspace)).toEqual(usernames.toSorted());
  });

  it('is complete right after each change, and of this workspace only', async () => {
    const [workspace, other] = [await service.world.workspace(), await service.world.workspace()];
    const actor = await service.world.user();
    const { bearer } = await service.world.systemAdmin();
    expect(await namesOf(workspace)).toEqual([]);
    for (let round = 0; round < 5; round += 1) {
      await service.world.member(workspace, 'member', actor);
      expect(await namesOf(workspace)).toEqual([actor.username]);
      expect(await namesOf(other)).toEqual([]);
      const params = { workspace: workspace.id, user: actor.userId };
      await service.client.succeed(removeWorkspaceMember, { params, as: bearer });
      expect(await namesOf(workspace)).toEqual([]);
    }
  });

  it('asks the table by pages, not by members', async () => {
    const workspace = await service.world.workspace();
    for (let count = 0; count < 5; count += 1) await service.world.member(workspace);
    await namesOf(workspace);
    service.proxy.forget();
    await namesOf(workspace);
    expect(service.proxy.callsOf('members/list-workspace-members').map(({ operation }) => operation)).toEqual([
      'BatchGetItem',
      'Query',
      'BatchGetItem',
    ]);
  });
});
