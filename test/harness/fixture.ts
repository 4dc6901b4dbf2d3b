import type { Endpoint } from '../../functions/endpoints.ts';
import { jsonBodyOf } from '../../shared/http/contract.ts';
import type { ObjectSchema, Schema } from '../../shared/http/schema.ts';
import type { Client } from './client.ts';
import { facts, type Make, type Request } from './endpoint-facts.ts';
import type { Service } from './service.ts';
import { type Actor, type Named, newPassword, uniqueName, type World } from './world.ts';

/** One workspace with a repository, and everyone who may come along. */
export interface Fixture {
  readonly client: Client;
  readonly world: World;
  readonly workspace: Named;
  /** An npm repository. */
  readonly repository: Named;
  readonly universal: Named;
  readonly stranger: Actor;
  readonly member: Actor;
  /** Members with a level on each repository. */
  readonly viewer: Actor;
  readonly deployer: Actor;
  readonly manager: Actor;
  readonly workspaceAdmin: Actor;
  readonly adminElsewhere: Actor;
  readonly systemAdmin: Actor;
  /** Somebody who never calls: the object of calls about users and members. */
  readonly targetUser: Actor;
}

export const buildFixture = async ({ client, world }: Pick<Service, 'client' | 'world'>): Promise<Fixture> => {
  const systemAdmin = await world.systemAdmin();
  const [workspace, elsewhere] = await Promise.all([world.workspace(), world.workspace()]);
  const [
    repository,
    universal,
    stranger,
    member,
    viewer,
    deployer,
    manager,
    workspaceAdmin,
    adminElsewhere,
    targetUser,
  ] = await Promise.all([
    world.repository(workspace),
    world.repository(workspace, undefined, 'universal'),
    world.user(),
    world.member(workspace),
    world.member(workspace),
    world.member(workspace),
    world.member(workspace),
    world.member(workspace, 'admin'),
    world.member(elsewhere, 'admin'),
    world.member(workspace),
  ]);
  for (const each of [repository, universal]) {
    await world.grant(workspace, each, viewer, 'canView');
    await world.grant(workspace, each, deployer, 'canDeploy');
    await world.grant(workspace, each, manager, 'canManage');
  }
  const members = { member, viewer, deployer, manager, workspaceAdmin, targetUser };
  return { client, world, workspace, repository, universal, stranger, adminElsewhere, systemAdmin, ...members };
};

/** Values that an example of a schema cannot know. */
const exampleOf = (name: string, shape: Schema, fixture: Fixture): unknown => {
  if (name === 'name' || name === 'username') return uniqueName();
  if (name === 'userId') return fixture.targetUser.userId;
  if (name === 'password') return newPassword();
  if ('oneOf' in shape) throw new Error(`There is no example of ${name}.`);
  if ('properties' in shape) return bodyOf(shape, fixture);
  if (shape.examples) return shape.examples[0];
  if ('items' in shape) return [exampleOf(name, shape.items, fixture)];
  if ('enum' in shape && shape.enum) return shape.enum[0];
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

const requestBy = async (make: Make, fixture: Fixture): Promise<Request> => {
  const { workspace, repository, targetUser } = fixture;
  const request = await make(fixture);
  const params = { workspace: workspace.id, repository: repository.id, user: targetUser.userId, ...request.params };
  return { ...request, params };
};

/** A request that the contract allows and that succeeds for who has the right. */
export const validRequest = async (contract: Endpoint, fixture: Fixture): Promise<Request> => {
  const shape = jsonBodyOf(contract);
  const byExamples: Make = async () => (shape ? { body: bodyOf(shape, fixture) } : {});
  return requestBy(facts[contract.id].request ?? byExamples, fixture);
};

/** Makes requests that succeed too, and take another way through the use case. */
export const otherWays = ({ id }: Endpoint): Make[] =>
  (facts[id].otherWays ?? []).map((make) => (fixture) => requestBy(make, fixture));
