import { randomUUID } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import { repositoryKey } from '../../table/keys.ts';
import { untilSettled } from '../../table/races.ts';
import { contentLeft, type Repository, repositoryChange } from '../../table/repositories/repositories.ts';
import { contentReplaced } from '../../table/repositories/repository-content.ts';
import { foundBy } from '../../table/writes.ts';

/**
 * Empties a repository by giving it a new content ID. The old content is unreachable when this returns and no longer counts
 * as usage; the sweeper removes it later. The names of a local repository stay kept from upstreams. Throws REPOSITORY_NOT_FOUND.
 */
export const emptyRepository = async (table: Table, repository: Repository): Promise<void> => {
  const key = repositoryKey(repository.workspaceId, repository.repositoryId);
  let current = repository;
  await untilSettled(table, async () => {
    const keeperId = current.repositoryType === 'local' ? current.repositoryId : undefined;
    const left = await contentLeft(table, current, keeperId);
    const refusal = await table.write(
      [contentReplaced(current, randomUUID()), ...left],
      repositoryChange('repository.emptied', current, { before: null, after: null }),
    );
    if (!refusal) return true;
    const found = foundBy(key, refusal);
    if (refusal[0] && !found) throw new ApiError('REPOSITORY_NOT_FOUND');
    current = found ?? current;
    return undefined;
  });
};
