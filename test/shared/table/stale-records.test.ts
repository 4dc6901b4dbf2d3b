import { randomUUID } from 'node:crypto';
import { Table } from '../../../shared/table/client.ts';
import { keepCreation } from '../../../shared/table/creations.ts';
import { grantKeys } from '../../../shared/table/identity/grant-shards.ts';
import { type Grant, grant, grantsMax, inlineGrantsMax, revoke } from '../../../shared/table/identity/grants.ts';
import { type Membership, removeMember, setMember } from '../../../shared/table/identity/memberships.ts';
import { insertUser, updateStoredUser } from '../../../shared/table/identity/users.ts';
import { insertWorkspace, removeWorkspace, type Workspace } from '../../../shared/table/identity/workspaces.ts';
import { activeAdminsKey, creationKey, membershipKey, repositoryKey } from '../../../shared/table/keys.ts';
import {
  insertRepository,
  type NewRepository,
  type RemoteRepository,
  removeRepository,
  type VirtualRepository,
} from '../../../shared/table/repositories/repositories.ts';
import {
  updateRemoteRepository,
  updateVirtualRepository,
} from '../../../shared/table/repositories/repository-changes.ts';
import { useService } from '../../harness/service.ts';
import { insertGrants, storedLevels } from '../../harness/stored-grants.ts';
import { insertNewUser } from '../../harness/stored-items.ts';
import { uniqueName } from '../../harness/world.ts';

const newPerson = async () => {
  const { userId, username } = await insertNewUser({ username: uniqueName(), passwordHash: '', userRole: 'user' });
  return { userId, username };
};

// Each function of the table layer gets a record that another request has changed since it was read: what races over HTTP
// meet by chance, and here every time.
useService();

const table = () => new Table();

const newWorkspace = async (): Promise<Workspace> => {
  const workspace = await insertWorkspace(table(), { name: uniqueName(), comments: '' });
  if (workspace === 'name taken') throw new Error(workspace);
  return workspace;
};

const common = () => ({
  repositoryId: randomUUID(),
  name: uniqueName(),
  packageType: 'npm' as const,
  createdBy: randomUUID(),
});

const insert = async <N extends NewRepository>(workspace: Workspace, fields: N) => {
  const outcome = await insertRepository(table(), workspace, fields);
  if (!('created' in outcome)) throw new Error(outcome.reason);
  return outcome.created;
};

const newLocal = (workspace: Workspace) => insert(workspace, { ...common(), repositoryType: 'local' });

const newVirtual = async (
  workspace: Workspace,
  ...children: readonly { repositoryId: string; name: string }[]
): Promise<VirtualRepository> =>
  insert(workspace, {
    ...common(),
    repositoryType: 'virtual',
    uploadLocalRepositoryId: null,
    children: listed(children),
  });

const listed = (repositories: readonly { repositoryId: string; name: string }[]) =>
  repositories.map(({ repositoryId: id, name }) => ({ id, name }));

const relist = (virtual: VirtualRepository, ...children: readonly { repositoryId: string; name: string }[]) =>
  updateVirtualRepository(table(), virtual, { children: listed(children), uploadLocalRepositoryId: null }, []);

const listersOf = async ({ workspaceId, repositoryId }: { workspaceId: string; repositoryId: string }) => {
  const key = repositoryKey(workspaceId, repositoryId);
  return [...((await table().read([key])).find(key)?.listedBy ?? [])];
};

describe('A stale user', () => {
  const newUser = async () => {
    const fields = { passwordHash: '', email: undefined, firstName: undefined, lastName: undefined };
    const user = await insertUser(table(), { ...fields, username: uniqueName(), userRole: 'user' });
    if (typeof user === 'string') throw new Error(user);
    return user;
  };
  const admins = async () => (await table().read([activeAdminsKey])).find(activeAdminsKey)?.count;

  it.each([{ disabled: true }, { userRole: 'user' }] as const)(
    'who became an admin meanwhile counts no more after %p',
    async (change) => {
      const stale = { ...(await newUser()), firstName: undefined };
      const before = await admins();
      await updateStoredUser(table(), stale, { userRole: 'system-admin' });
      expect(await admins()).toBe(Number(before) + 1);
      await updateStoredUser(table(), stale, { ...change, firstName: 'A' });
      expect(await admins()).toBe(before);
    },
  );

  it('whose password changed meanwhile is not given another one by who proved the old one', async () => {
    const stale = await newUser();
    await updateStoredUser(table(), stale, { passwordHash: 'changed' });
    const outcome = await updateStoredUser(table(), stale, { passwordHash: 'other' }, stale.passwordVersion);
    expect(outcome).toBe('password changed');
  });
});

describe('A stale workspace', () => {
  it('that is deleted gets no member, neither a new one nor one that it had', async () => {
    const workspace = await newWorkspace();
    const member = { ...(await newPerson()), role: 'member' } as const;
    expect(await setMember(table(), workspace, member, undefined)).toBe('added');
    await removeWorkspace(table(), workspace);
    const other = { ...(await newPerson()), role: 'admin' } as const;
    expect(await setMember(table(), workspace, other, undefined)).toBe('workspace gone');
    expect(await setMember(table(), workspace, { ...member, role: 'admin' }, { role: 'member' })).toBe(
      'workspace gone',
    );
    const keys = [other, member].map(({ userId }) => membershipKey(workspace.workspaceId, userId));
    const found = await table().read(keys);
    expect(keys.map((key) => found.find(key)?.role)).toEqual([undefined, 'member']);
  });

  it('that is deleted gets no repository', async () => {
    const workspace = await newWorkspace();
    await removeWorkspace(table(), workspace);
    const fields = { ...common(), repositoryType: 'local' } as const;
    expect(await insertRepository(table(), workspace, fields)).toMatchObject({ reason: 'workspace gone' });
    const key = repositoryKey(workspace.workspaceId, fields.repositoryId);
    expect((await table().read([key])).find(key)).toBeUndefined();
  });

  it('gets no second repository by one Idempotency-Key, and its refusal says that it is the key', async () => {
    const workspace = await newWorkspace();
    const key = creationKey(randomUUID(), randomUUID());
    const create = async () => {
      const fields = { ...common(), repositoryType: 'local' } as const;
      return insertRepository(table(), workspace, fields, (id) => [keepCreation(key, { id, fingerprint: '' })]);
    };
    expect(await create()).toMatchObject({ created: { repositoryType: 'local' } });
    expect(await create()).toMatchObject({ reason: 'key taken' });
  });

  it('that got a repository is not deleted', async () => {
    const workspace = await newWorkspace();
    await newLocal(workspace);
    expect(await removeWorkspace(table(), workspace)).toBe('not empty');
  });
});

describe('A stale membership', () => {
  const newMember = async () => {
    const workspace = await newWorkspace();
    const { workspaceId } = workspace;
    const member = { ...(await newPerson()), role: 'member' } as const;
    await setMember(table(), workspace, member, undefined);
    const stale = async (...ids: readonly string[]) =>
      table().read([membershipKey(workspaceId, member.userId), ...grantKeys(workspaceId, member.userId, ids)]);
    return { workspace, workspaceId, member, userId: member.userId, stale };
  };
  const granted = (repositoryId: string): Grant => ({ repositoryId, level: 'canView' });
  /** Random IDs of one shard. */
  const idsOfShard = (count: number) => Array.from({ length: count }, () => `a${randomUUID().slice(1)}`);

  const levelsByIds = (grants: readonly Grant[]) =>
    Object.fromEntries(grants.map(({ repositoryId, level }) => [repositoryId, level]));

  const levelsOf = async (workspaceId: string, userId: string) =>
    Object.fromEntries(await storedLevels(workspaceId, userId));

  it('of a member who was removed gets no grant', async () => {
    const { workspace, workspaceId, member, userId, stale } = await newMember();
    const [id = ''] = idsOfShard(1);
    const read = await stale(id);
    await removeMember(table(), workspace, { ...member, grants: {} });
    expect(await grant(table(), workspaceId, userId, [granted(id)], read)).toBe('no member');
    expect(await levelsOf(workspaceId, userId)).toEqual({});
  });

  it.each([0, 1, inlineGrantsMax, inlineGrantsMax + 1])(
    'of a member who became an admin gets no grant, with %i before',
    async (count) => {
      const { workspace, workspaceId, member, userId, stale } = await newMember();
      // In a shard that is not there before, so that only the role stands in the way.
      const [id, before] = [`b${randomUUID().slice(1)}`, idsOfShard(count)];
      await insertGrants(workspaceId, userId, before.map(granted));
      const read = await stale(id);
      await setMember(table(), workspace, { ...member, role: 'admin' }, { role: 'member' });
      expect(await grant(table(), workspaceId, userId, [granted(id)], read)).toBe('workspace admin');
      await setMember(table(), workspace, member, { role: 'admin' });
      expect(await levelsOf(workspaceId, userId)).toEqual({});
    },
  );

  /** So many grants that they stand in the membership, or in shards. */
  const held = [
    ['the membership', 0],
    ['shards', inlineGrantsMax],
  ] as const;

  it.each(held)('keeps what others granted meanwhile, in %s', async (_, others) => {
    const { workspaceId, userId, stale } = await newMember();
    const before = idsOfShard(others).map(granted);
    await insertGrants(workspaceId, userId, before);
    const [one = '', two = '', three = ''] = idsOfShard(3);
    const [none, some] = [await stale(one), await stale(two)];
    await insertGrants(workspaceId, userId, [granted(two), granted(three)]);
    expect(await grant(table(), workspaceId, userId, [granted(one)], none)).toEqual(new Map());
    const raised = { repositoryId: two, level: 'canManage' } as const;
    expect(await grant(table(), workspaceId, userId, [raised], some)).toEqual(new Map([[two, 'canView']]));
    expect(await levelsOf(workspaceId, userId)).toEqual({
      ...levelsByIds(before),
      [one]: 'canView',
      [two]: 'canManage',
      [three]: 'canView',
    });
  });

  it.each(held)('loses a grant once, however many remove it, in %s', async (_, others) => {
    const { workspaceId, userId, stale } = await newMember();
    const [one = '', two = ''] = idsOfShard(2);
    const before = idsOfShard(others).map(granted);
    await insertGrants(workspaceId, userId, [granted(one), granted(two), ...before]);
    const read = await stale(one);
    expect(await revoke(table(), workspaceId, userId, [one], read)).toEqual(new Map([[one, 'canView']]));
    expect(await revoke(table(), workspaceId, userId, [one], read)).toEqual(new Map());
    expect(await levelsOf(workspaceId, userId)).toEqual({ ...levelsByIds(before), [two]: 'canView' });
  });

  it('keeps both of two that come at once, of which one brings more than the membership holds', async () => {
    const { workspaceId, userId, stale } = await newMember();
    const [one = '', ...many] = idsOfShard(inlineGrantsMax + 2);
    const read = await stale(one, ...many);
    const raised = { repositoryId: one, level: 'canManage' } as const;
    await grant(table(), workspaceId, userId, [granted(one)], read);
    expect(await grant(table(), workspaceId, userId, many.map(granted), read)).toEqual(new Map());
    expect(await grant(table(), workspaceId, userId, [raised], read)).toEqual(new Map([[one, 'canView']]));
    expect(await levelsOf(workspaceId, userId)).toEqual({ ...levelsByIds(many.map(granted)), [one]: 'canManage' });
  });

  it.each([
    [inlineGrantsMax, 0],
    [inlineGrantsMax + 1, inlineGrantsMax + 1],
  ])('has %i grants of which %i are in shards', async (count, inShards) => {
    const { workspaceId, userId, stale } = await newMember();
    await insertGrants(workspaceId, userId, idsOfShard(count).map(granted));
    const membership: Membership | undefined = (await stale()).find(membershipKey(workspaceId, userId));
    expect(membership).toMatchObject({ grantCount: inShards });
    expect(Object.keys(membership?.grants ?? {})).toHaveLength(count - inShards);
  });

  it('holds no more grants than it may, in whatever shards they come', async () => {
    const { workspaceId, userId, stale } = await newMember();
    const [a, b] = [`a${randomUUID().slice(1)}`, `b${randomUUID().slice(1)}`];
    const read = await stale(a, b);
    const many = Array.from({ length: grantsMax - 1 }, () => randomUUID());
    await insertGrants(workspaceId, userId, many.map(granted));
    expect(await grant(table(), workspaceId, userId, [granted(a), granted(b)], read)).toBe('too many grants');
    const other = await stale(b);
    expect(await grant(table(), workspaceId, userId, [granted(a)], read)).toEqual(new Map());
    expect(await grant(table(), workspaceId, userId, [granted(b)], other)).toBe('too many grants');
    expect(Object.keys(await levelsOf(workspaceId, userId))).toHaveLength(grantsMax);
  });

  it('holds no more grants in one shard than three read units', async () => {
    const { workspaceId, userId } = await newMember();
    await insertGrants(workspaceId, userId, idsOfShard(700).map(granted));
    await expect(insertGrants(workspaceId, userId, idsOfShard(1).map(granted))).rejects.toThrow('too many grants');
    await insertGrants(workspaceId, userId, [granted(`b${randomUUID().slice(1)}`)]);
  });
});

describe('A stale repository', () => {
  it('that lists other children meanwhile is not deleted, so that none is in use by nothing', async () => {
    const workspace = await newWorkspace();
    const [one, two] = [await newLocal(workspace), await newLocal(workspace)];
    const stale = await newVirtual(workspace, one);
    const current = await relist(stale, two);
    expect(await removeRepository(table(), stale)).toBe('changed');
    expect(await listersOf(two)).toEqual([stale.repositoryId]);
    if (typeof current === 'string') throw new Error(current);
    expect(await removeRepository(table(), current)).toBe('removed');
    expect(await listersOf(two)).toEqual([]);
  });

  it('that lists other children meanwhile gets no others, so that none is in use by nothing', async () => {
    const workspace = await newWorkspace();
    const locals = [await newLocal(workspace), await newLocal(workspace), await newLocal(workspace)] as const;
    const stale = await newVirtual(workspace, locals[0]);
    await relist(stale, locals[1]);
    expect(await relist(stale, locals[2])).toBe('lost the race');
    const listers = await Promise.all(locals.map(listersOf));
    expect(listers).toEqual([[], [stale.repositoryId], []]);
  });

  it('gets no child that is deleted meanwhile', async () => {
    const workspace = await newWorkspace();
    const [one, two] = [await newLocal(workspace), await newLocal(workspace)];
    const virtual = await newVirtual(workspace, one);
    expect(await removeRepository(table(), two)).toBe('removed');
    expect(await relist(virtual, one, two)).toBe('lost the race');
    const fields = { ...common(), repositoryType: 'virtual', uploadLocalRepositoryId: null } as const;
    const outcome = await insertRepository(table(), workspace, { ...fields, children: listed([two]) });
    expect(outcome).toMatchObject({ reason: 'children' });
  });

  it('that is listed meanwhile is not deleted', async () => {
    const workspace = await newWorkspace();
    const stale = await newLocal(workspace);
    const { repositoryId } = await newVirtual(workspace, stale);
    expect(await removeRepository(table(), stale)).toEqual({ listedBy: [repositoryId] });
  });

  it('whose URL or password changed meanwhile does not send the password elsewhere', async () => {
    const workspace = await newWorkspace();
    const stale: RemoteRepository = await insert(workspace, {
      ...common(),
      repositoryType: 'remote',
      remoteRepositoryUrl: 'https://one.example/',
      remoteRepositoryUsername: null,
      passwordCiphertext: null,
      isRemoteCacheEnabled: true,
      fileCacheTimeTillRevalidation: null,
      metadataCacheTimeTillRevalidation: null,
    });
    await updateRemoteRepository(table(), stale, { passwordCiphertext: 'x' });
    const changes = { remoteRepositoryUrl: 'https://two.example/' };
    expect(await updateRemoteRepository(table(), stale, changes)).toBe('lost the race');
    const current = { ...stale, passwordCiphertext: 'x' };
    expect(await updateRemoteRepository(table(), current, changes)).toMatchObject(changes);
    expect(await updateRemoteRepository(table(), current, { passwordCiphertext: 'y' })).toBe('lost the race');
  });
});
