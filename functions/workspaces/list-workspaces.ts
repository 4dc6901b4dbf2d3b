import { endpoint } from '../../shared/http/endpoint.ts';
import { membershipKey } from '../../shared/table/keys.ts';
import { membershipOf } from '../../shared/table/memberships.ts';
import { listAllWorkspaces } from '../../shared/table/workspaces.ts';
import { listWorkspacesOfUser } from '../../shared/table/workspaces-of-user.ts';
import { listWorkspaces } from './contracts.ts';
import { listedWorkspace } from './record.ts';

export const handler = endpoint(listWorkspaces, async ({ caller, page, table }) => {
  const { userId } = caller.user;
  if (!caller.isSystemAdmin) {
    const { entries, more } = await listWorkspacesOfUser(table, userId, page);
    return {
      entries: entries.map(({ position, item: { workspace, membership } }) => ({
        position,
        item: listedWorkspace(workspace, membership),
      })),
      more,
    };
  }
  const { entries, more } = await listAllWorkspaces(table, page);
  const keyOf = (workspaceId: string) => membershipKey(workspaceId, userId);
  const own = await table.read(entries.map(({ item }) => keyOf(item.workspaceId)));
  return {
    entries: entries.map(({ position, item }) => ({
      position,
      item: listedWorkspace(item, membershipOf(own.find(keyOf(item.workspaceId)))),
    })),
    more,
  };
});
