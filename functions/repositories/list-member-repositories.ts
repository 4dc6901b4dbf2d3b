import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { grantKeys } from '../../shared/table/identity/grant-shards.ts';
import { levelOn } from '../../shared/table/identity/levels.ts';
import type { Membership } from '../../shared/table/identity/memberships.ts';
import { locate, membersOf } from '../../shared/table/locate.ts';
import { listMemberRepositories } from './contracts.ts';
import { listVisibleRepositories } from './visible-repositories.ts';

/** The member in the path, if the caller may see what this member may do. */
const targetOf = ({
  params,
  caller,
  workspace,
  loaded,
}: Pick<Call<typeof listMemberRepositories>, 'params' | 'caller' | 'workspace' | 'loaded'>): Membership => {
  const { item } = locate(membersOf(workspace.workspaceId), params.user, loaded);
  if (!caller.isWorkspaceAdmin && caller.user?.userId !== item?.userId)
    throw new ApiError('FORBIDDEN', 'Only admins of the workspace see what another member may do: ask one of them.');
  if (!item) throw new ApiError('MEMBER_NOT_FOUND', 'This user is not a member of this workspace.');
  return item;
};

export const handler = endpoint(
  listMemberRepositories,
  async (call) => {
    const { caller, page, table } = call;
    const { workspaceId } = call.workspace;
    const member = targetOf(call);
    const listed = await listVisibleRepositories(
      table,
      { ...caller.repositories, grantedTo: member },
      { workspaceId, filters: {}, page, turn: ({ repositoryId, name }) => ({ repositoryId, repositoryName: name }) },
    );
    const ids = listed.entries.map(({ item }) => item.repositoryId);
    const shards = await table.read(grantKeys(workspaceId, member.userId, ids));
    const entries = listed.entries.flatMap(({ position, item }) => {
      const level = levelOn(workspaceId, member, item.repositoryId, shards);
      // The grant was removed meanwhile, or the member is an admin.
      return level ? [{ position, item: { ...item, repositoryPermissionLevel: level } }] : [];
    });
    return { ...listed, entries };
  },
  { alsoRead: ({ params, workspaceId, loaded }) => locate(membersOf(workspaceId), params.user, loaded).next },
);
