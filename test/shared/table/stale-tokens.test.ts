import { randomUUID } from 'node:crypto';
import { newToken } from '../../../shared/auth/tokens.ts';
import { Table } from '../../../shared/table/client.ts';
import { type Rotation, rotateToken } from '../../../shared/table/identity/token-rotation.ts';
import {
  insertToken,
  type ListedToken,
  removeToken,
  type WorkspaceToken,
} from '../../../shared/table/identity/tokens.ts';
import { insertWorkspaceToken } from '../../../shared/table/identity/workspace-tokens.ts';
import { insertWorkspace, removeWorkspace, type Workspace } from '../../../shared/table/identity/workspaces.ts';
import { useService } from '../../harness/service.ts';
import { snapshot } from '../../harness/snapshot.ts';
import { insertNewUser } from '../../harness/stored-items.ts';
import { uniqueName } from '../../harness/world.ts';

// As in stale-records: each function gets a token or a workspace that another request has changed since it was read.
useService();

const newWorkspace = async (): Promise<Workspace> => {
  const workspace = await insertWorkspace(new Table(), { name: uniqueName(), comments: '' });
  if (workspace === 'name taken') throw new Error(workspace);
  return workspace;
};

const fieldsIn = ({ workspaceId }: Pick<Workspace, 'workspaceId'>) => ({
  workspaceId,
  name: 'ci',
  expirationDate: null,
  createdBy: randomUUID(),
  grants: { level: 'canView' } as const,
});

const ofWorkspace = async (workspace?: Workspace): Promise<WorkspaceToken> => {
  const token = await insertWorkspaceToken(
    new Table(),
    newToken('workspace'),
    fieldsIn(workspace ?? (await newWorkspace())),
  );
  if (token === 'workspace gone') throw new Error(token);
  return token;
};

const ofUser = async (): Promise<ListedToken> => {
  const { userId, username } = await insertNewUser({ username: uniqueName(), passwordHash: '', userRole: 'user' });
  return insertToken(new Table(), newToken(), { userId, username, name: 'ci', expirationDate: null });
};

const kinds: readonly (readonly [string, () => Promise<ListedToken>])[] = [
  ['a user', ofUser],
  ['a workspace', () => ofWorkspace()],
];

const rotate = (token: ListedToken, overlapSeconds: number, rotation: Partial<Rotation> = {}) =>
  rotateToken(new Table(), token, {
    secret: newToken(token.kind === 'workspace' ? 'workspace' : 'personal'),
    expirationDate: null,
    overlapSeconds,
    ...rotation,
  });

/** The items that are about a token, records aside. */
const itemsOf = async ({ tokenId }: ListedToken) =>
  [...(await snapshot()).values()].filter(
    ({ pk, sk, id }) => !pk.startsWith('AUDIT#') && [pk, sk, String(id)].some((text) => text.includes(tokenId)),
  );

/** Expects that an act changes no item at all. */
const changesNothing = async <T>(act: () => Promise<T>): Promise<T> => {
  const before = await snapshot();
  const outcome = await act();
  expect(await snapshot()).toEqual(before);
  return outcome;
};

describe.each([0, 60])('A rotation with an overlap of %i seconds', (overlapSeconds) => {
  it('of a token whose workspace is deleted meanwhile leaves nothing, as a new token there does', async () => {
    const workspace = await newWorkspace();
    const stale = await ofWorkspace(workspace);
    await removeWorkspace(new Table(), workspace);
    expect(await changesNothing(() => rotate(stale, overlapSeconds))).toBe('gone');
    const create = () => insertWorkspaceToken(new Table(), newToken('workspace'), fieldsIn(workspace));
    expect(await changesNothing(create)).toBe('workspace gone');
  });

  it.each(kinds)('of a token of %s that is deleted meanwhile leaves nothing', async (_, make) => {
    const stale = await make();
    await removeToken(new Table(), stale);
    expect(await changesNothing(() => rotate(stale, overlapSeconds))).toBe('gone');
    expect(await itemsOf(stale)).toEqual([]);
  });

  it.each(kinds)('of a token of %s that is rotated meanwhile leaves nothing', async (_, make) => {
    const stale = await make();
    await rotate(stale, 60);
    expect(await changesNothing(() => rotate(stale, overlapSeconds))).toBe('rotated before');
  });
});

describe.each(kinds)('The old token of %s', (_, make) => {
  it('leaves no item without an overlap, neither itself nor its place in the list', async () => {
    const old = await make();
    expect(await itemsOf(old)).toHaveLength(2);
    const outcome = await rotate(old, 0);
    if (typeof outcome === 'string') throw new Error(outcome);
    expect(outcome.oldUntil).toBeNull();
    expect(await itemsOf(old)).toEqual([]);
    expect(await itemsOf(outcome.token)).toHaveLength(2);
  });

  it('goes with its place in the list when the overlap is over', async () => {
    const old = await make();
    const outcome = await rotate(old, 60);
    if (typeof outcome === 'string') throw new Error(outcome);
    const { oldUntil, token } = outcome;
    const expiresAt = Math.ceil(Date.parse(String(oldUntil)) / 1000);
    expect(Math.abs(expiresAt - Date.now() / 1000 - 60)).toBeLessThan(10);
    const items = await itemsOf(old);
    expect(items.map((item) => item.expiresAt)).toEqual([expiresAt, expiresAt]);
    expect(items).toContainEqual(expect.objectContaining({ tokenHash: old.tokenHash, replacedBy: token.tokenId }));
    expect((await itemsOf(token)).map((item) => item.expiresAt)).toEqual([undefined, undefined]);
  });
});
