import { type PermissionLevel, reaches } from '../access.ts';
import type { TokenLimits } from '../table/identity/tokens.ts';
import type { PathItems, Rights } from './rights.ts';

const noRights: Rights = {
  isSystemAdmin: false,
  workspaces: { isEvery: false, among: undefined },
  seesWorkspace: false,
  isWorkspaceAdmin: false,
  level: undefined,
  repositories: { grantedTo: undefined, among: [] },
};

/** Whether limits leave out more than what changes something: such a token sees no other token and no session of its user. */
export const isNarrow = ({ workspaces, level }: TokenLimits): boolean =>
  workspaces !== undefined || level !== undefined;

/**
 * What is left of a user's rights for a token with these limits. A limit to workspaces, repositories or a level leaves nothing of a
 * System Admin beyond workspaces; one to repositories or to a level below canManage leaves nothing of an admin of the workspace.
 */
export const rightsWithin = (
  { workspaces, level }: TokenLimits,
  rights: Rights,
  { workspace, repository }: PathItems,
): Rights => {
  if (!workspaces && !level) return rights;
  const visible = { isEvery: rights.workspaces.isEvery, among: workspaces && Object.keys(workspaces) };
  const found = workspace && workspaces ? workspaces[workspace.workspaceId] : null;
  if (found === undefined) return { ...noRights, workspaces: visible };
  const among = found ?? undefined;
  const isWithin = repository !== undefined && (among?.includes(repository.repositoryId) ?? true);
  return {
    isSystemAdmin: false,
    workspaces: visible,
    seesWorkspace: rights.seesWorkspace,
    isWorkspaceAdmin: rights.isWorkspaceAdmin && !among && reaches(level ?? 'canManage', 'canManage'),
    level: isWithin ? lower(rights.level, level) : undefined,
    repositories: { grantedTo: rights.repositories.grantedTo, among },
  };
};

/** The lower of two levels; `max` is none if it is absent. */
const lower = (level: PermissionLevel | undefined, max: PermissionLevel | undefined): PermissionLevel | undefined =>
  max !== undefined && reaches(level, max) ? max : level;
