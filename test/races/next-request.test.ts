import {
  addRepositoryMember,
  addWorkspaceMember,
  listRepositoryMembers,
  removeRepositoryMember,
  removeWorkspaceMember,
} from '../../functions/members/contracts.ts';
import { createLocalRepository, deleteRepository, getRepository } from '../../functions/repositories/contracts.ts';
import { updateUser } from '../../functions/users/contracts.ts';
import { deleteWorkspaceByReference, getWorkspace } from '../../functions/workspaces/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { useService } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';

const service = useService();
let root: string;
let workspace: Named;
let repository: Named;

beforeAll(async () => {
  root = (await service.world.systemAdmin()).bearer;
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
  // From here on, the authorizer's answer about the system admin is remembered.
  await asks.workspace(root);
});

const inWorkspace = () => ({ workspace: workspace.id });
const inRepository = ({ id } = repository) => ({ ...inWorkspace(), repository: id });

/** What callers ask for, and where they are refused once their right is gone. */
const asks = {
  workspace: (as: string) => service.client.call(getWorkspace, { params: inWorkspace(), as }),
  repository: (as: string) => service.client.call(getRepository, { params: inRepository(), as }),
  repositoryMembers: (as: string) => service.client.call(listRepositoryMembers, { params: inRepository(), as }),
  creation: (as: string) =>
    service.client.call(createLocalRepository, {
      params: inWorkspace(),
      body: { name: service.world.name(), packageType: 'npm' },
      as,
    }),
};

const setRole = (userId: string, role: 'admin' | 'member') =>
  service.client.succeed(addWorkspaceMember, { params: inWorkspace(), body: { userId, role }, as: root });

const removeMember = (userId: string) =>
  service.client.succeed(removeWorkspaceMember, { params: { ...inWorkspace(), user: userId }, as: root });

const setLevel = (userId: string, repositoryPermissionLevel: 'canView' | 'canManage') =>
  service.client.succeed(addRepositoryMember, {
    params: inRepository(),
    body: { userId, repositoryPermissionLevel },
    as: root,
  });

const removeGrant = (userId: string) =>
  service.client.succeed(removeRepositoryMember, { params: { ...inRepository(), user: userId }, as: root });

const formsOf = ({ bearer, tokenAsPassword, account }: Actor) => [bearer, tokenAsPassword, account];

/**
 * Expects that a request is accepted before a change and refused after it, in each form of the credential, while the
 * authorizer is not asked again.
 */
const expectEffect = async (
  actor: Actor,
  ask: (as: string) => Promise<Answer>,
  change: () => Promise<unknown>,
  refusal: string,
): Promise<void> => {
  for (const as of formsOf(actor)) expect((await ask(as)).status).toBeLessThan(300);
  service.proxy.forget();
  await change();
  for (const as of formsOf(actor)) expect((await ask(as)).code).toBe(refusal);
  const authorizations = service.proxy.callsOf('authorizer').filter(({ isWrite }) => !isWrite);
  expect(authorizations).toEqual([]);
};

describe('The next request after the answer to a change, while the authorizer’s answer is remembered', () => {
  it('of an admin who was made a member is refused', async () => {
    const actor = await service.world.member(workspace, 'admin');
    await expectEffect(actor, asks.creation, () => setRole(actor.userId, 'member'), 'FORBIDDEN');
  });

  it('of an admin who was removed is refused like that of a stranger', async () => {
    const actor = await service.world.member(workspace, 'admin');
    await expectEffect(actor, asks.creation, () => removeMember(actor.userId), 'WORKSPACE_NOT_FOUND');
  });

  it('of a system admin who was made a plain user is refused', async () => {
    const actor = await service.world.user({ userRole: 'system-admin' });
    const params = { user: actor.userId };
    const demote = () => service.client.succeed(updateUser, { params, body: { userRole: 'user' }, as: root });
    await expectEffect(actor, asks.creation, demote, 'WORKSPACE_NOT_FOUND');
  });

  it('of a member who was removed is refused', async () => {
    const actor = await service.world.member(workspace);
    await expectEffect(actor, asks.workspace, () => removeMember(actor.userId), 'WORKSPACE_NOT_FOUND');
  });

  it('of a member whose permission was taken away or lowered is refused', async () => {
    const actor = await service.world.member(workspace);
    await setLevel(actor.userId, 'canManage');
    await expectEffect(actor, asks.repositoryMembers, () => setLevel(actor.userId, 'canView'), 'FORBIDDEN');
    await expectEffect(actor, asks.repository, () => removeGrant(actor.userId), 'REPOSITORY_NOT_FOUND');
  });

  it('for a deleted repository is refused, by its ID and by its name', async () => {
    const deleted = await service.world.repository(workspace);
    const actor = await service.world.member(workspace);
    await service.world.grant(workspace, deleted, actor, 'canManage');
    const admin = await service.world.member(workspace, 'admin');
    const byEach = async (as: string) => {
      const answers = [];
      for (const params of [inRepository(deleted), inRepository({ id: deleted.name, name: '' })])
        answers.push(await service.client.call(getRepository, { params, as }));
      expect(answers[0]?.code).toBe(answers[1]?.code);
      return answers[0] as Answer;
    };
    for (const as of [...formsOf(actor), ...formsOf(admin)]) expect((await byEach(as)).status).toBe(200);
    const remove = () => service.client.succeed(deleteRepository, { params: inRepository(deleted), as: root });
    await expectEffect(actor, byEach, remove, 'REPOSITORY_NOT_FOUND');
    for (const as of formsOf(admin)) expect((await byEach(as)).code).toBe('REPOSITORY_NOT_FOUND');
  });

  it('for a deleted workspace is refused, by its ID and by its name', async () => {
    const deleted = await service.world.workspace();
    const actor = await service.world.member(deleted, 'admin');
    const byEach = async (as: string) => {
      const byName = await service.client.call(getWorkspace, { params: { workspace: deleted.name }, as });
      const byId = await service.client.call(getWorkspace, { params: { workspace: deleted.id }, as });
      expect(byId.code).toBe(byName.code);
      return byId;
    };
    const remove = () =>
      service.client.succeed(deleteWorkspaceByReference, { params: { workspace: deleted.id }, as: root });
    await expectEffect(actor, byEach, remove, 'WORKSPACE_NOT_FOUND');
  });
});
