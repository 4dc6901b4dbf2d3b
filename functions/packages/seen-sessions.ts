import type { Caller } from '../../shared/http/caller.ts';
import type { Table } from '../../shared/table/client.ts';
import { type OpenSession, openSessions } from '../../shared/table/packages/open-uploads.ts';
import type { Positioned } from '../../shared/table/reading-table.ts';

/** The parts of a request that the sessions need. */
interface SessionsCall {
  readonly caller: Caller;
  readonly workspace: { readonly workspaceId: string };
  readonly table: Table;
}

/**
 * The upload sessions that count towards the storage limit, as far as the caller may delete them: all of them for admins of the
 * workspace, and their own for others. One with a narrow token has no part in what it could not have created.
 */
export const seenSessions = async ({
  caller: { actor, isWorkspaceAdmin, limits, repositories },
  workspace: { workspaceId },
  table,
}: SessionsCall): Promise<readonly Positioned<OpenSession>[]> => {
  if (isWorkspaceAdmin) return openSessions(table, workspaceId);
  if (limits?.level === 'canView') return [];
  const own = await openSessions(table, workspaceId, actor.id);
  const { among } = repositories;
  return among ? own.filter(({ item: { session } }) => session && among.includes(session.repositoryId)) : own;
};
