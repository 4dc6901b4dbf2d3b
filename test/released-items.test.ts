import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../functions/endpoints.ts';
import { addRepositoryMember } from '../functions/members/contracts.ts';
import { createVirtualRepository, deleteRepository, getRepository } from '../functions/repositories/contracts.ts';
import { getCurrentUser } from '../functions/users/contracts.ts';
import type { LooseInput } from './harness/client.ts';
import { buildReleasedWorld, type ReleasedWorld, shapesOf } from './harness/released-world.ts';
import { useService } from './harness/service.ts';
import { readItems, replaceItems } from './harness/stored-items.ts';
import { newPassword, uniqueName } from './harness/world.ts';

/**
 * While a canary runs, the functions of two releases share one table. So every endpoint is tried on items that a release
 * stored, kept as they were. `npm run record-items` records those of the present release.
 */
const folder = join(__dirname, 'released-items');
jest.setTimeout(90_000);

const service = useService();

let present: ReleasedWorld;
beforeAll(async () => {
  present = await buildReleasedWorld(service);
});

const recordings = globSync('*.json', { cwd: folder })
  .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  .map((file) => [file, JSON.parse(readFileSync(join(folder, file), 'utf8')) as ReleasedWorld] as const);

/** A request about items of a release, and what its answer has of them. */
type Row = (world: ReleasedWorld) => Pick<LooseInput, 'params' | 'query' | 'body'> & { readonly expected?: unknown };

const inFull: Row = ({ workspaces }) => ({ params: { workspace: workspaces.full.name } });
const inEmpty: Row = ({ workspaces: { empty } }) => ({
  params: { workspace: empty.name },
  body: { workspaceId: empty.id, workspaceName: empty.name },
  expected: { id: empty.id, name: empty.name },
});
const onLocal: Row = ({ workspaces, repositories }) => ({
  params: { workspace: workspaces.full.id, repository: repositories.local.name },
});
const repository = { packageType: 'npm' };

/** For every endpoint that uses the table. */
const rows: Readonly<Record<string, Row>> = {
  'members/add-member-to-repositories': (world) => ({
    ...inFull(world),
    body: {
      userId: world.actors.viewer.userId,
      repositories: [
        { repositoryReference: world.repositories.local.name, repositoryPermissionLevel: 'canManage' },
        { repositoryReference: world.repositories.outer.id, repositoryPermissionLevel: 'canView' },
      ],
    },
  }),
  // The viewer has a grant, so it is changed.
  'members/add-repository-member': (world) => ({
    ...onLocal(world),
    body: { userId: world.actors.viewer.userId, repositoryPermissionLevel: 'canDeploy' },
    expected: { repositoryName: world.repositories.local.name, repositoryPermissionLevel: 'canDeploy' },
  }),
  'members/add-workspace-member': (world) => ({
    ...inFull(world),
    body: { userId: world.actors.viewer.userId, role: 'admin' },
    expected: { username: world.actors.viewer.username, role: 'admin' },
  }),
  'members/get-repository-member': (world) => {
    const { viewer } = world.actors;
    const { params } = onLocal(world);
    return {
      params: { ...params, user: viewer.username },
      expected: { userId: viewer.userId, repositoryPermissionLevel: 'canView' },
    };
  },
  'members/get-workspace-member': (world) => {
    const { workspaceAdmin } = world.actors;
    const { params } = inFull(world);
    return {
      params: { ...params, user: workspaceAdmin.username },
      expected: { userId: workspaceAdmin.userId, role: 'admin' },
    };
  },
  'members/list-repository-members': (world) => ({
    ...onLocal(world),
    expected: expect.arrayContaining([expect.objectContaining({ userId: world.actors.viewer.userId })]),
  }),
  'members/list-workspace-members': (world) => ({
    ...inFull(world),
    expected: expect.arrayContaining([
      expect.objectContaining({ username: world.actors.workspaceAdmin.username, role: 'admin' }),
    ]),
  }),
  'members/remove-repository-member': (world) => {
    const { params } = onLocal(world);
    return { params: { ...params, user: world.actors.viewer.userId } };
  },
  'members/remove-workspace-member': (world) => {
    const { params } = inFull(world);
    return { params: { ...params, user: world.actors.manager.username } };
  },
  'repositories/create-local-repository': (world) => ({
    ...inFull(world),
    body: { ...repository, name: uniqueName() },
  }),
  'repositories/create-remote-repository': (world) => ({
    ...inFull(world),
    body: {
      ...repository,
      name: uniqueName(),
      remoteRepositoryUrl: 'https://registry.npmjs.org/',
      isRemoteCacheEnabled: true,
      remoteRepositoryPassword: newPassword(),
    },
  }),
  'repositories/create-virtual-repository': (world) => ({
    ...inFull(world),
    body: {
      ...repository,
      name: uniqueName(),
      childRepositoryIds: [world.repositories.outer.id, world.repositories.local.id],
    },
    expected: { childRepositories: [world.repositories.outer, world.repositories.local] },
  }),
  'repositories/delete-repository': ({ workspaces, repositories }) => ({
    params: { workspace: workspaces.full.id, repository: repositories.outer.name },
  }),
  'repositories/get-repository': ({ workspaces, repositories: { inner, local, remote } }) => ({
    params: { workspace: workspaces.full.id, repository: inner.name },
    expected: { ...inner, childRepositories: [local, remote], uploadTargetLocalRepository: local },
  }),
  'repositories/list-repositories': (world) => ({
    ...inFull(world),
    expected: expect.arrayContaining(Object.values(world.repositories).map((each) => expect.objectContaining(each))),
  }),
  'repositories/update-repository': ({ workspaces, repositories }) => ({
    params: { workspace: workspaces.full.id, repository: repositories.remote.id },
    body: { remoteRepositoryUrl: 'https://elsewhere.example/npm/' },
    expected: { hasRemoteRepositoryPassword: false, remoteRepositoryUrl: 'https://elsewhere.example/npm/' },
  }),
  'system/get-readiness': () => ({}),
  'tokens/create-personal-access-token': () => ({ body: { name: 'another' } }),
  'tokens/delete-personal-access-token': ({ actors }) => ({ params: { tokenId: actors.viewer.tokenId } }),
  'tokens/get-personal-access-token': ({ actors }) => ({
    params: { tokenId: actors.viewer.tokenId },
    expected: { id: actors.viewer.tokenId },
  }),
  'tokens/list-user-personal-access-tokens': ({ actors }) => ({
    params: { user: actors.viewer.username },
    expected: expect.arrayContaining([expect.objectContaining({ id: actors.viewer.tokenId })]),
  }),
  'tokens/list-personal-access-tokens': ({ actors }) => ({
    expected: expect.arrayContaining([expect.objectContaining({ id: actors.admin.tokenId })]),
  }),
  'users/create-user': () => ({ body: { username: uniqueName(), password: newPassword(), userRole: 'system-admin' } }),
  'users/get-current-user': ({ actors }) => ({ expected: { userId: actors.admin.userId } }),
  'users/get-user': ({ actors }) => ({
    params: { user: actors.viewer.username },
    expected: { userId: actors.viewer.userId, firstName: 'Robin', lastName: 'Ng' },
  }),
  'users/list-users': ({ actors }) => ({
    expected: expect.arrayContaining(
      Object.values(actors).map(({ username }) => expect.objectContaining({ username })),
    ),
  }),
  'users/update-user': ({ actors }) => ({
    params: { user: actors.viewer.userId },
    body: { email: `${uniqueName()}@example.com`, firstName: null, userRole: 'system-admin', password: newPassword() },
    expected: { userRole: 'system-admin', lastName: 'Ng' },
  }),
  'workspaces/create-workspace': ({ workspaces }) => ({
    body: { name: workspaces.deleted.name },
    expected: { name: workspaces.deleted.name },
  }),
  'workspaces/delete-workspace': (world) => ({ ...inEmpty(world), params: {} }),
  'workspaces/delete-workspace-by-reference': (world) => ({ ...inEmpty(world), body: undefined }),
  'workspaces/get-workspace': (world) => ({
    ...inFull(world),
    expected: { ...world.workspaces.full, repositoryCount: 4 },
  }),
  'workspaces/list-workspaces': ({ workspaces }) => ({
    expected: expect.arrayContaining([
      expect.objectContaining(workspaces.empty),
      expect.objectContaining(workspaces.full),
    ]),
  }),
};

const isDocument = ({ access, table }: (typeof endpoints)[number]): boolean =>
  access === 'public' && table.length === 0;

it('every endpoint that uses the table is tried', () => {
  const ids = endpoints.filter((endpoint) => !isDocument(endpoint)).map(({ id }) => id);
  expect(Object.keys(rows).toSorted((a, b) => a.localeCompare(b))).toEqual(ids.toSorted((a, b) => a.localeCompare(b)));
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

  it.each(endpoints.filter((endpoint) => !isDocument(endpoint)).map((contract) => [contract.id, contract] as const))(
    'serve %s',
    async (id, contract) => {
      const { expected, ...request } = rows[id]?.(world) ?? {};
      const { result, text } = await service.client.attempt(contract, { ...request, as: admin.bearer });
      expect({ text, isDone: result !== undefined }).toEqual({ text, isDone: true });
      if (Array.isArray(result)) expect(result).toEqual(expected);
      else expect(result).toMatchObject(expected ?? {});
    },
  );

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
    const left = JSON.stringify(await readItems());
    expect(left).not.toContain(world.workspaces.deleted.id);
    expect(left).toContain(world.workspaces.empty.id);
  });
});
