import { randomUUID } from 'node:crypto';
import { addMemberToRepositories, addRepositoryMember, addWorkspaceMember } from '../../functions/members/contracts.ts';
import { createPersonalAccessToken } from '../../functions/tokens/contracts.ts';
import { updateUser } from '../../functions/users/contracts.ts';
import { createWorkspace, deleteWorkspaceByReference } from '../../functions/workspaces/contracts.ts';
import type { WorkspaceRole } from '../../shared/access.ts';
import { type Grant, inlineGrantsMax } from '../../shared/table/identity/grants.ts';
import { createLocal, createRemote, createVirtual } from './repositories.ts';
import type { Service } from './service.ts';
import { insertGrants } from './stored-grants.ts';
import { readItems, type StoredItem } from './stored-items.ts';
import { type Actor, type Named, newPassword, uniqueName } from './world.ts';

/** A small world with an item of every kind, as a release stored it, and what is needed to walk about in it. */
export interface ReleasedWorld {
  readonly actors: Readonly<Record<'admin' | 'workspaceAdmin' | 'viewer' | 'manager' | 'stranger', Actor>>;
  readonly workspaces: Readonly<Record<'full' | 'empty' | 'deleted', Named>>;
  readonly repositories: Readonly<Record<'local' | 'remote' | 'inner' | 'outer', Named>>;
  readonly items: readonly StoredItem[];
}

const named = ({ id, name }: Named): Named => ({ id, name });

/** Builds that world through the API. */
export const buildReleasedWorld = async (service: Service): Promise<ReleasedWorld> => {
  const { client, world } = service;
  const admin = await world.systemAdmin();
  const as = admin.bearer;
  const workspace = () => client.succeed(createWorkspace, { body: { name: uniqueName('ws') }, as });
  const add = ({ id }: Named, { userId }: Actor, role: WorkspaceRole) =>
    client.succeed(addWorkspaceMember, { params: { workspace: id }, body: { userId, role }, as });
  const [full, empty, deleted] = [await workspace(), await workspace(), await workspace()];
  const stranger = await world.user();
  const [workspaceAdmin, viewer, manager] = [await world.user(), await world.user(), await world.user()];
  await add(full, workspaceAdmin, 'admin');
  for (const member of [viewer, manager]) await add(full, member, 'member');
  for (const other of [empty, deleted]) await add(other, viewer, 'member');
  await add(deleted, manager, 'admin');

  const local = await createLocal(service, full);
  const remote = await createRemote(service, full, { remoteRepositoryPassword: newPassword() });
  const inner = await createVirtual(service, full, [local, remote], { uploadLocalRepositoryId: local.id });
  const outer = await createVirtual(service, full, [inner]);
  await client.succeed(addRepositoryMember, {
    params: { workspace: full.id, repository: local.id },
    body: { userId: viewer.userId, repositoryPermissionLevel: 'canView' },
    as,
  });
  await client.succeed(addMemberToRepositories, {
    params: { workspace: full.id },
    body: {
      userId: manager.userId,
      repositories: [
        { repositoryReference: local.id, repositoryPermissionLevel: 'canManage' },
        { repositoryReference: remote.name, repositoryPermissionLevel: 'canDeploy' },
      ],
    },
    as,
  });
  // The grants of one member are in the membership, and those of another in shards.
  const others = Array.from(
    { length: inlineGrantsMax },
    (): Grant => ({ repositoryId: randomUUID(), level: 'canView' }),
  );
  await insertGrants(full.id, manager.userId, others);

  const profile = { email: `${uniqueName()}@example.com`, firstName: 'Robin', lastName: 'Ng' };
  await client.succeed(updateUser, { params: { user: viewer.userId }, body: profile, as });
  await client.succeed(updateUser, { params: { user: stranger.userId }, body: { disabled: true }, as });
  const expirationDate = '2999-12-31T00:00:00.000Z';
  await client.succeed(createPersonalAccessToken, { body: { name: 'expires', expirationDate }, as: viewer.account });
  await client.succeed(deleteWorkspaceByReference, { params: { workspace: deleted.id }, as });
  return {
    actors: { admin, workspaceAdmin, viewer, manager, stranger },
    workspaces: { full: named(full), empty: named(empty), deleted: named(deleted) },
    repositories: { local: named(local), remote: named(remote), inner: named(inner), outer: named(outer) },
    items: await readItems(),
  };
};

/** The kinds of items, each with its attributes and their types. */
export const shapesOf = (items: readonly StoredItem[]): Record<string, string[]> => {
  const shapes: Record<string, Set<string>> = {};
  for (const item of items) {
    const kind = [item.pk, item.sk].map((key) => /^[A-Z]+(?=#|$)/.exec(key?.S ?? '')?.[0] ?? '…').join(' ');
    // Whether the world was built with a password in its last seconds is a matter of chance.
    if (kind === 'CHECKS CHECKS') continue;
    const shape = shapes[kind] ?? new Set();
    shapes[kind] = shape;
    for (const [name, value] of Object.entries(item)) shape.add(`${name}: ${Object.keys(value).join()}`);
  }
  return Object.fromEntries(Object.entries(shapes).map(([kind, shape]) => [kind, [...shape].toSorted(byText)]));
};

const byText = (one: string, other: string): number => one.localeCompare(other);
