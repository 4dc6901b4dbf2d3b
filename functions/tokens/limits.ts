import { requireValid, type Violation } from '../../shared/errors.ts';
import { rightsKeys, rightsOfUser } from '../../shared/http/caller.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import { principalOfUser } from '../../shared/http/principal.ts';
import { batchRepositoriesMax } from '../../shared/limits.ts';
import type { Table } from '../../shared/table/client.ts';
import type { TokenLimits } from '../../shared/table/identity/tokens.ts';
import type { User } from '../../shared/table/identity/users.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { locate, repositoriesOf, workspaces } from '../../shared/table/locate.ts';
import type { createPersonalAccessToken } from './contracts.ts';

type Body = BodyOf<typeof createPersonalAccessToken>;
type Requested = NonNullable<Body['limits']>;
type WantedWorkspace = NonNullable<Requested['workspaces']>[number];

/** Limits must limit something, and name a bounded number of repositories. */
export const limitsRule = ({ limits }: Partial<Body>): readonly Violation[] => {
  if (!limits) return [];
  const { workspaces: wanted, repositoryPermissionLevel, readOnly } = limits;
  const violation = (rule: string, message: string) => [{ pointer: '/limits', rule, message }];
  if (!wanted && !repositoryPermissionLevel && !readOnly)
    return violation('limits', 'limits must limit something: workspaces, repositoryPermissionLevel or readOnly.');
  const count = wanted?.reduce((sum, { repositoryReferences }) => sum + (repositoryReferences?.length ?? 0), 0) ?? 0;
  return count > batchRepositoriesMax
    ? violation('maxItems', `limits must name at most ${batchRepositoriesMax} repositories in all workspaces together.`)
    : [];
};

/** What there is under a reference, as far as the user sees it. */
const lookUp = (user: User, { workspaceReference, repositoryReferences }: WantedWorkspace, loaded: IdentityMap) => {
  const principal = principalOfUser(user);
  const { at, item: workspace, next } = locate(workspaces, workspaceReference, loaded);
  const repositories = (repositoryReferences ?? []).map((reference) =>
    at === undefined ? undefined : locate(repositoriesOf(at), reference, loaded),
  );
  const keys: Key[] = [...next, ...repositories.flatMap((each) => each?.next ?? [])];
  if (at !== undefined) {
    keys.push(...rightsKeys(principal, at, undefined, loaded));
    for (const each of repositories)
      if (each?.at !== undefined) keys.push(...rightsKeys(principal, at, each.at, loaded));
  }
  const isVisible =
    workspace !== undefined && rightsOfUser(user, { workspace, repository: undefined }, loaded).seesWorkspace;
  const visible = repositories.map((each) => {
    const repository = each?.item;
    return repository && rightsOfUser(user, { workspace, repository }, loaded).level
      ? repository.repositoryId
      : undefined;
  });
  return { keys, workspaceId: isVisible ? workspace.workspaceId : undefined, repositoryIds: visible };
};

/** The limits with the IDs of what they name. Refuses what the user does not see, and what is named twice. */
export const limitsIn = async (table: Table, user: User, requested: Requested): Promise<TokenLimits> => {
  const { workspaces: wanted, repositoryPermissionLevel: level, readOnly } = requested;
  const common = { ...(level && { level }), ...(readOnly && { readOnly }) };
  if (!wanted) return common;
  const loaded = await table.readWanted((soFar) => wanted.flatMap((each) => lookUp(user, each, soFar).keys));
  const found: Record<string, readonly string[] | null> = {};
  const violations = wanted.flatMap((each, index): readonly Violation[] => {
    const at = `limits.workspaces[${index}]`;
    const pointer = `/limits/workspaces/${index}`;
    const { workspaceId, repositoryIds } = lookUp(user, each, loaded);
    const named = `${at}.workspaceReference '${each.workspaceReference}'`;
    const ofWorkspace = { pointer: `${pointer}/workspaceReference` };
    if (workspaceId === undefined)
      return [{ ...ofWorkspace, rule: 'exists', message: `${named} is not a workspace that you see.` }];
    if (Object.hasOwn(found, workspaceId))
      return [
        { ...ofWorkspace, rule: 'distinct', message: `${named} is a workspace that is listed before; list it once.` },
      ];
    const ids = repositoryIds.filter((id) => id !== undefined);
    found[workspaceId] = each.repositoryReferences ? [...new Set(ids)] : null;
    return repositoryIds.flatMap((id, position) =>
      id === undefined
        ? [
            {
              pointer: `${pointer}/repositoryReferences/${position}`,
              rule: 'exists',
              message: `${at}.repositoryReferences[${position}] '${each.repositoryReferences?.[position] ?? ''}' is not a repository of the workspace that you see.`,
            },
          ]
        : [],
    );
  });
  requireValid(violations);
  return { ...common, workspaces: found };
};
