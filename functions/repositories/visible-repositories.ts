import type { VisibleRepositories } from '../../shared/http/rights.ts';
import { listEntriesMax } from '../../shared/limits.ts';
import type { Table } from '../../shared/table/client.ts';
import { grantKeys } from '../../shared/table/identity/grant-shards.ts';
import { grantCountOf, levelOn, readGrantedIds } from '../../shared/table/identity/levels.ts';
import type { Membership } from '../../shared/table/identity/memberships.ts';
import { IdentityMap } from '../../shared/table/identity-map.ts';
import { repositoriesList } from '../../shared/table/keys.ts';
import { inPortions, type List, listPage, type PageRequest, pageOf } from '../../shared/table/lists.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';
import {
  type Filters,
  listAllRepositories,
  namesReach,
  passes,
  readRepositories,
} from '../../shared/table/repositories/repository-lists.ts';

/** Members with at most as many grants as a page may hold, or as this, get whole pages. */
const grantsReadMin = 25;

/** What a list of repositories needs to know. */
interface Wanted<R> {
  readonly workspaceId: string;
  readonly filters: Filters;
  readonly page: PageRequest;
  readonly turn: (repository: Repository) => R;
}

interface OfMember<R> extends Wanted<R> {
  readonly membership: Membership;
}

/** Lists the repositories that a caller sees, by name. */
export const listVisibleRepositories = <R>(
  table: Table,
  { grantedTo: membership, among }: VisibleRepositories,
  wanted: Wanted<R>,
): Promise<List<R>> => {
  const { workspaceId, filters, page, turn } = wanted;
  if (among) return listAmong(table, among, membership, wanted);
  return membership
    ? listGranted(table, { ...wanted, membership })
    : listAllRepositories(table, workspaceId, filters, page, turn);
};

/** Lists those of a few repositories that the caller has a level on: all of them, if no membership decides it. */
const listAmong = async <R>(
  table: Table,
  ids: readonly string[],
  membership: Membership | undefined,
  { workspaceId, filters, page, turn }: Wanted<R>,
): Promise<List<R>> => {
  const shards = membership && (await table.read(grantKeys(workspaceId, membership.userId, ids)));
  const visible = shards ? ids.filter((id) => levelOn(workspaceId, membership, id, shards)) : ids;
  const found = await readRepositories(table, workspaceId, visible, filters);
  const entries = found.map((repository) => ({ position: repository.name, item: turn(repository) }));
  return pageOf({ entries, next: undefined }, page);
};

/** Lists the repositories that a member has a level on. */
const listGranted = <R>(table: Table, wanted: OfMember<R>): Promise<List<R>> => {
  const { membership, page } = wanted;
  const readMax = Math.max(page.limit ?? listEntriesMax, grantsReadMin);
  return grantCountOf(membership) <= readMax ? allGranted(table, wanted) : grantedAmongNames(table, wanted);
};

/** Reads what the member has a level on. The grants are not in the order of names, so a page needs all of them. */
const allGranted = async <R>(
  table: Table,
  { membership, workspaceId, filters, page, turn }: OfMember<R>,
): Promise<List<R>> => {
  const ids = await readGrantedIds(table, workspaceId, membership);
  const granted = await inPortions(ids, async (portion) => {
    const found = await readRepositories(table, workspaceId, portion, filters);
    return found.map((repository) => ({ position: repository.name, item: turn(repository) }));
  });
  return pageOf(granted, page);
};

/** Goes through the names of the workspace, and reads the repositories of a page that the member has a level on. */
const grantedAmongNames = <R>(
  table: Table,
  { membership, workspaceId, filters, page, turn }: OfMember<R>,
): Promise<List<R>> => {
  const shards = new IdentityMap();
  return listPage(
    table,
    repositoriesList(workspaceId),
    page,
    async (entries) => {
      const passing = entries.filter((entry) => passes(entry, filters));
      await table.read(
        grantKeys(
          workspaceId,
          membership.userId,
          passing.map(({ id }) => id),
        ),
        shards,
      );
      const ids = passing.map(({ id }) => id).filter((id) => levelOn(workspaceId, membership, id, shards));
      const found = await readRepositories(table, workspaceId, ids);
      const byId = new Map(found.map((repository) => [repository.repositoryId, turn(repository)]));
      return entries.map(({ id }) => byId.get(id));
    },
    namesReach,
  );
};
