import { type Contract, jsonBodyOf } from '../../shared/http/contract.ts';
import type { ObjectSchema, Schema } from '../../shared/http/schema.ts';
import type { LooseInput } from './client.ts';
import { type Actor, type Named, newPassword, uniqueName, type World } from './world.ts';

/** One workspace with a repository, and everyone who may come along. */
export interface Fixture {
  readonly world: World;
  readonly workspace: Named;
  readonly repository: Named;
  readonly stranger: Actor;
  readonly member: Actor;
  /** Members with a level on the repository. */
  readonly viewer: Actor;
  readonly manager: Actor;
  readonly workspaceAdmin: Actor;
  readonly adminElsewhere: Actor;
  readonly systemAdmin: Actor;
  /** Somebody who never calls: the object of calls about users and members. */
  readonly targetUser: Actor;
}

export const buildFixture = async (world: World): Promise<Fixture> => {
  const systemAdmin = await world.systemAdmin();
  const [workspace, elsewhere] = await Promise.all([world.workspace(), world.workspace()]);
  const [repository, stranger, member, viewer, manager, workspaceAdmin, adminElsewhere, targetUser] = await Promise.all(
    [
      world.repository(workspace),
      world.user(),
      world.member(workspace),
      world.member(workspace),
      world.member(workspace),
      world.member(workspace, 'admin'),
      world.member(elsewhere, 'admin'),
      world.member(workspace),
    ],
  );
  await world.grant(workspace, repository, viewer, 'canView');
  await world.grant(workspace, repository, manager, 'canManage');
  const members = { member, viewer, manager, workspaceAdmin, targetUser };
  return { world, workspace, repository, stranger, adminElsewhere, systemAdmin, ...members };
};

type Request = Pick<LooseInput, 'params' | 'query' | 'body'>;

/** Values that an example of a schema cannot know. */
const exampleOf = (name: string, shape: Schema, fixture: Fixture): unknown => {
  if (name === 'name' || name === 'username') return uniqueName();
  if (name === 'userId') return fixture.targetUser.userId;
  if (name === 'password') return newPassword();
  if ('oneOf' in shape) throw new Error(`There is no example of ${name}.`);
  if ('properties' in shape) return bodyOf(shape, fixture);
  if (shape.examples) return shape.examples[0];
  if (shape.type === 'array') return [exampleOf(name, shape.items, fixture)];
  if (shape.enum) return shape.enum[0];
  if (shape.type === 'boolean') return false;
  throw new Error(`The field ${name} has no example: add one to its schema.`);
};

const bodyOf = (shape: ObjectSchema, fixture: Fixture): Record<string, unknown> =>
  Object.fromEntries(
    shape.required.map((name) => {
      const field = shape.properties[name];
      if (!field) throw new Error(`The required field ${name} has no schema.`);
      return [name, exampleOf(name, field, fixture)];
    }),
  );

/** Requests that the examples of the contract do not make: most of them use up what they are about. */
const special: Readonly<Record<string, (fixture: Fixture) => Promise<Request>>> = {
  'members/add-member-to-repositories': async ({ targetUser, repository }) => {
    const repositories = [{ repositoryReference: repository.id, repositoryPermissionLevel: 'canView' }];
    return { body: { userId: targetUser.userId, repositories } };
  },
  'members/add-repository-member': async ({ world, workspace, targetUser }) => {
    const { id } = await world.repository(workspace);
    return { params: { repository: id }, body: { userId: targetUser.userId } };
  },
  'members/get-repository-member': async ({ world, workspace, repository, targetUser }) => {
    await world.grant(workspace, repository, targetUser, 'canView');
    return {};
  },
  'members/remove-repository-member': async ({ world, workspace, repository, targetUser }) => {
    await world.grant(workspace, repository, targetUser, 'canView');
    return {};
  },
  'members/remove-workspace-member': async ({ world, workspace, targetUser }) => {
    await world.member(workspace, 'member', targetUser);
    return {};
  },
  'repositories/create-virtual-repository': async ({ repository }) => ({
    body: { name: uniqueName(), packageType: 'npm', childRepositoryIds: [repository.id] },
  }),
  'repositories/delete-repository': async ({ world, workspace }) => {
    const { id } = await world.repository(workspace);
    return { params: { repository: id } };
  },
  'repositories/update-repository': async ({ world, workspace }) => {
    const { id } = await world.remoteRepository(workspace);
    return { params: { repository: id }, body: { isRemoteCacheEnabled: false } };
  },
  'tokens/delete-personal-access-token': async ({ world, targetUser }) => {
    const { tokenId } = await world.token(targetUser);
    return { params: { tokenId } };
  },
  'tokens/get-personal-access-token': async ({ targetUser }) => ({ params: { tokenId: targetUser.tokenId } }),
  'users/update-user': async () => ({ body: { firstName: 'Robin' } }),
  'workspaces/delete-workspace': async ({ world }) => {
    const { id } = await world.workspace();
    return { body: { workspaceId: id } };
  },
  'workspaces/delete-workspace-by-reference': async ({ world }) => {
    const { id } = await world.workspace();
    return { params: { workspace: id } };
  },
};

/** A request that the contract allows and that succeeds for who has the right. */
export const validRequest = async (contract: Contract, fixture: Fixture): Promise<Request> => {
  const { workspace, repository, targetUser } = fixture;
  const make = special[contract.id];
  const shape = jsonBodyOf(contract);
  const made = make ? await make(fixture) : shape && { body: bodyOf(shape, fixture) };
  const params = { workspace: workspace.id, repository: repository.id, user: targetUser.userId, ...made?.params };
  return { ...made, params };
};
