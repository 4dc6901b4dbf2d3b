import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { Table } from '../../shared/table/client.ts';
import { untilSettled } from '../../shared/table/races.ts';
import { type Repository, removeRepository } from '../../shared/table/repositories/repositories.ts';
import { readRepositories } from '../../shared/table/repositories/repository-lists.ts';
import { deleteRepository } from './contracts.ts';

/** The names of those virtual repositories that still exist, in order. */
const namesOf = async (table: Table, workspaceId: string, ids: readonly string[]): Promise<string[]> =>
  (await readRepositories(table, workspaceId, ids)).map(({ name }) => name).toSorted();

export const handler = endpoint(deleteRepository, async ({ repository, table }) => {
  const { workspaceId, repositoryId } = repository;
  let current: Repository | undefined = repository;
  return untilSettled(table, async () => {
    if (!current) throw new ApiError('REPOSITORY_NOT_FOUND');
    const outcome = await removeRepository(table, current);
    if (outcome === 'removed') return { repositoryId, status: 'deleted' as const };
    const names = typeof outcome === 'object' ? await namesOf(table, workspaceId, outcome.listedBy) : [];
    if (names.length > 0) {
      const detail = `Virtual repositories list this repository: ${names.join(', ')}. Remove it from them, or delete them, first.`;
      throw new ApiError('REPOSITORY_IN_USE', detail);
    }
    [current] = await readRepositories(table, workspaceId, [repositoryId]);
    return undefined;
  });
});
