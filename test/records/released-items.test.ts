import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import { addRepositoryMember } from '../../functions/members/contracts.ts';
import { createVirtualRepository, deleteRepository, getRepository } from '../../functions/repositories/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { facts } from '../harness/endpoint-facts.ts';
import { buildReleasedWorld, type ReleasedWorld, shapesOf } from '../harness/released-world.ts';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { readItems, replaceItems } from '../harness/stored-items.ts';
import { uniqueName } from '../harness/world.ts';

/**
 * While a canary runs, the functions of two releases share one table. So every endpoint is tried on items that a release
 * stored, kept as they were. `npm run record-items` records those of the present release.
 */
const folder = join(__dirname, '..', 'released-items');
jest.setTimeout(90_000);

const service = useService();

let present: ReleasedWorld;
beforeAll(async () => {
  present = await buildReleasedWorld(service);
});

const recordings = globSync('*.json', { cwd: folder })
  .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  .map((file) => [file, JSON.parse(readFileSync(join(folder, file), 'utf8')) as ReleasedWorld] as const);

/** The endpoints that use items, each with its request about them. */
const tried = endpoints.flatMap((contract) => {
  const { released } = facts[contract.id];
  return typeof released === 'string' ? [] : [[contract.id, contract, released] as const];
});

it('every endpoint that uses the table is tried', () => {
  const isNeeded = ({ id, access, table }: Endpoint): boolean =>
    (access !== 'public' || table.length > 0) && facts[id].released !== 'about what no release has stored';
  expect(tried.map(([id]) => id)).toEqual(endpoints.filter(isNeeded).map(({ id }) => id));
});

it('the newest recording is of the items that this release writes: record again when they change, and keep the old', () => {
  const [, newest] = recordings.at(-1) ?? [];
  expect(shapesOf(newest?.items ?? [])).toEqual(shapesOf(present.items));
});

describe.each(recordings)('The items of %s', (_, world) => {
  const { admin, viewer, manager, stranger } = world.actors;
  const params = { workspace: world.workspaces.full.id };

  beforeEach(async () => {
    await replaceItems(world.items);
    service.runner.clearAuthorizerCache();
  });

  it.each(shareOf(tried, 3))('serve %s', async (_id, contract, requestOn) => {
    const { expected, ...request } = requestOn(world);
    const { result, text } = await service.client.attempt(contract, { ...request, as: admin.bearer });
    expect({ text, isDone: result !== undefined }).toEqual({ text, isDone: true });
    if (Array.isArray(result)) expect(result).toEqual(expected);
    else expect(result).toMatchObject(expected ?? {});
  });

  it('let their people in by each form of credential, and the disabled one by none', async () => {
    for (const as of [viewer.bearer, viewer.tokenAsPassword, viewer.account])
      expect((await service.client.call(getCurrentUser, { as })).result?.userId).toBe(viewer.userId);
    for (const as of [stranger.bearer, stranger.account])
      expect((await service.client.call(getCurrentUser, { as })).code).toBe('UNAUTHENTICATED');
  });

  it('go together with items of this release', async () => {
    const as = admin.bearer;
    const { local, inner } = world.repositories;
    const body = { name: uniqueName(), packageType: 'npm' as const, childRepositoryIds: [local.id, inner.id] };
    const { id } = await service.client.succeed(createVirtualRepository, { params, body, as });
    const remove = (name: string) =>
      service.client.call(deleteRepository, { params: { ...params, repository: name }, as });
    expect((await remove(local.name)).code).toBe('REPOSITORY_IN_USE');
    await service.client.succeed(addRepositoryMember, {
      params: { ...params, repository: id },
      body: { userId: manager.userId },
      as,
    });
    const get = await service.client.call(getRepository, { params: { ...params, repository: id }, as: manager.bearer });
    expect(get.result).toMatchObject({ childRepositories: [local, inner] });
    for (const name of [id, world.repositories.outer.id, inner.id, local.id])
      expect((await remove(name)).status).toBe(200);
  });

  it('are swept', async () => {
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    // The records of a deleted workspace stay.
    const left = JSON.stringify((await readItems()).filter(({ pk }) => !JSON.stringify(pk).includes('AUDIT#')));
    expect(left).not.toContain(world.workspaces.deleted.id);
    expect(left).toContain(world.workspaces.empty.id);
  });
});
