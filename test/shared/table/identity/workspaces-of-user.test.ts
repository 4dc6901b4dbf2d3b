import { environment } from '../../../../shared/config.ts';
import { findUserByName, type User } from '../../../../shared/table/identity/users.ts';
import { rememberedWorkspaceKeys, workspacesOfCaller } from '../../../../shared/table/identity/workspaces-of-user.ts';
import { IdentityMap } from '../../../../shared/table/identity-map.ts';
import { inTable } from '../../../harness/retry.ts';
import { useService } from '../../../harness/service.ts';

const service = useService();

afterEach(() => {
  delete process.env[environment.remembersAccess];
});

const memberOfOne = async () => {
  const workspace = await service.world.workspace();
  const { username } = await service.world.member(workspace);
  const user = (await inTable((table) => findUserByName(table, username))) as User;
  return { user, workspace };
};

const idsOf = async (user: User): Promise<string[]> =>
  inTable((table) => workspacesOfCaller(table, user, new IdentityMap(), ({ workspaceId }) => workspaceId));

describe('workspacesOfCaller', () => {
  it.each([
    ['remembers', 'true', 2],
    ['remembers nothing of', 'false', 0],
  ])('%s the workspaces of a user where the stage says %s', async (_, value, keys) => {
    process.env[environment.remembersAccess] = value;
    const { user, workspace } = await memberOfOne();
    expect(await idsOf(user)).toEqual([workspace.id]);
    expect(rememberedWorkspaceKeys(user.userId)).toHaveLength(keys);
  });
});
