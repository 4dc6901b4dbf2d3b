import type { addRepositoryMember } from '../../members/contracts.ts';
import type { listMemberRepositories } from '../../repositories/contracts.ts';
import { getPage, part, type Result } from './api.ts';
import { useLoaded } from './elements.ts';
import type { Me } from './pages/home.ts';
import { administers } from './pages/home.ts';
import type { Place } from './routes.ts';

export type Level = Result<typeof addRepositoryMember>['repositoryPermissionLevel'];

/** The levels, lowest first. */
export const levels: readonly Level[] = ['canView', 'canDeploy', 'canManage'];

/** How many levels a request brings: the most that the service gives. */
const levelsAtOnce = 1000;

/** The levels of a member on the repositories of a workspace, by their names and IDs. */
export const levelsOf = async (workspace: string, userId: string): Promise<ReadonlyMap<string, Level>> => {
  const path = `/1/workspaces/${part(workspace)}/members/${part(userId)}/repositories` as const;
  const found = new Map<string, Level>();
  let query: string | undefined = `limit=${levelsAtOnce}`;
  while (query !== undefined) {
    const { items, next }: Awaited<ReturnType<typeof getPage<typeof listMemberRepositories>>> = await getPage<
      typeof listMemberRepositories
    >(`${path}?${query}`);
    for (const { repositoryId, repositoryName, repositoryPermissionLevel: level } of items)
      found.set(repositoryName, level).set(repositoryId, level);
    query = next;
  }
  return found;
};

/** Whether somebody has a level on a repository, or a higher one. Admins have every one. */
export const useHasLevel = (me: Me, { workspace, repository }: Place, level: Level): boolean => {
  const isAdmin = administers(me, workspace);
  const { value } = useLoaded(
    async () => (isAdmin ? undefined : levelsOf(workspace, me.userId)),
    [workspace, me.userId],
  );
  const own = value?.get(repository);
  return isAdmin || (own !== undefined && levels.indexOf(own) >= levels.indexOf(level));
};
