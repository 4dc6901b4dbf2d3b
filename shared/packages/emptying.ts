import { randomUUID } from 'node:crypto';
import { ApiError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { leaveContent } from '../table/content-sweeps.ts';
import { repositoryKey, usageList } from '../table/keys.ts';
import { untilSettled } from '../table/races.ts';
import { contentIdOf, type Repository, repositoryChange } from '../table/repositories.ts';
import { usageEnded } from '../table/usage.ts';
import { foundBy } from '../table/writes.ts';
import { sameContent } from './publication-writes.ts';

/**
 * Empties a repository by giving it a new content ID. The old content is unreachable when this returns and no longer counts
 * as usage; the sweeper removes it later. Throws REPOSITORY_NOT_FOUND.
 */
export const emptyRepository = async (table: Table, repository: Repository): Promise<void> => {
  const key = repositoryKey(repository.workspaceId, repository.repositoryId);
  let current = repository;
  await untilSettled(async () => {
    const contentId = contentIdOf(current);
    const usage = (await table.query(usageList(contentId))).items;
    const { if: isSame, values } = sameContent(current);
    const refusal = await table.write(
      [
        { update: key, set: 'SET #contentId = :new', if: isSame, values: { ...values, ':new': randomUUID() } },
        leaveContent(contentId, current.workspaceId),
        ...usageEnded(current.workspaceId, contentId, usage),
      ],
      repositoryChange('repository.emptied', current, { before: null, after: null }),
    );
    if (!refusal) return true;
    const found = foundBy(key, refusal);
    if (refusal[0] && !found) throw new ApiError('REPOSITORY_NOT_FOUND');
    current = found ?? current;
    return undefined;
  });
};
