import { removeWorkspaceMember } from '../../../functions/members/contracts.ts';
import { deleteWorkspaceByReference, listWorkspaces } from '../../../functions/workspaces/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { rowsOf } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly role: string | null;
}

const ask = ({ bearer }: Actor) => service.client.call(listWorkspaces, { as: bearer });
const list = async (actor: Actor) => rowsOf<Listed>(await ask(actor));
const rolesOf = async (actor: Actor) => (await list(actor)).map(({ name, role }) => `${name} ${role}`);
const remove = async ({ id }: Named) => {
  const { bearer } = await service.world.systemAdmin();
  await service.client.succeed(deleteWorkspaceByReference, { params: { workspace: id }, as: bearer });
};

describe('GET /1/workspaces', () => {
  itAnswers('200 with the workspaces of a member and no others, each with the own role', async () => {
    const [admin, member] = [await service.world.workspace(), await service.world.workspace()];
    await service.world.workspace();
    const actor = await service.world.member(admin, 'admin');
    await service.world.member(member, 'member', actor);
    const answer = await ask(actor);
    const expected = [
      { ...admin, role: 'admin' },
      { ...member, role: 'member' },
    ].map(({ id, name, role }) => ({ id, workspaceId: id, name, role, comments: '' }));
    expect(rowsOf(answer)).toEqual(
      expected.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map((row) => expect.objectContaining(row)),
    );
    return answer;
  });

  itAnswers('200 with an empty array for a user of no workspace', async () => {
    const answer = await ask(await service.world.user());
    expect(answer.text).toBe('[]');
    return answer;
  });

  it('is in the order of names, whoever asks', async () => {
    const actor = await service.world.user();
    const names = ['w', 'w-1', 'w.1', 'w0', 'wa', '0w', 'w--1', 'w1'];
    for (const name of names) await service.world.member(await service.world.workspace(name), 'member', actor);
    const sorted = names.toSorted();
    expect((await list(actor)).map(({ name }) => name)).toEqual(sorted);
    const all = await list(await service.world.systemAdmin());
    expect(all.map(({ name }) => name).filter((name) => names.includes(name))).toEqual(sorted);
    expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).toSorted());
  });

  it('shows a system admin every workspace, with a role where there is a membership', async () => {
    const admin = await service.world.user({ userRole: 'system-admin' });
    const [mine, other] = [await service.world.workspace(), await service.world.workspace()];
    await service.world.member(mine, 'member', admin);
    const roles = await rolesOf(admin);
    expect(roles).toContain(`${mine.name} member`);
    expect(roles).toContain(`${other.name} null`);
    await service.world.member(mine, 'admin', admin);
    expect(await rolesOf(admin)).toContain(`${mine.name} admin`);
  });

  it('is complete right after each change', async () => {
    const admin = await service.world.systemAdmin();
    const actor = await service.world.user();
    for (let round = 0; round < 5; round += 1) {
      const workspace = await service.world.workspace();
      expect(await rolesOf(admin)).toContain(`${workspace.name} null`);
      await service.world.member(workspace, 'member', actor);
      expect(await rolesOf(actor)).toEqual([`${workspace.name} member`]);
      await service.world.member(workspace, 'admin', actor);
      expect(await rolesOf(actor)).toEqual([`${workspace.name} admin`]);
      const params = { workspace: workspace.id, user: actor.userId };
      await service.client.succeed(removeWorkspaceMember, { params, as: admin.bearer });
      expect(await rolesOf(actor)).toEqual([]);
      await remove(workspace);
      expect(await rolesOf(admin)).not.toContain(`${workspace.name} null`);
    }
  });

  it('shows nothing of a deleted workspace, nor of the new one of its name', async () => {
    const workspace = await service.world.workspace();
    const actor = await service.world.member(workspace, 'admin');
    await remove(workspace);
    expect(await list(actor)).toEqual([]);
    const again = await service.world.workspace(workspace.name);
    expect(await list(actor)).toEqual([]);
    await service.world.member(again, 'member', actor);
    expect(await list(actor)).toEqual([expect.objectContaining({ id: again.id, role: 'member' })]);
  });
});
