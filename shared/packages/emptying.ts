import { randomUUID } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { log } from '../observability/log.ts';
import type { Table } from '../table/client.ts';
import { leaveContent } from '../table/content-sweeps.ts';
import { repositoryKey } from '../table/keys.ts';
import { untilSettled } from '../table/races.ts';
import { contentIdOf, type Repository } from '../table/repositories.ts';
import { endUsage } from '../table/usage.ts';
import { foundBy } from '../table/writes.ts';
import { sameContent } from './publication-writes.ts';

/** Empties a repository: it gets new content, and what it had is out of reach when this returns. */
export const emptyRepository = async (table: Table, repository: Repository): Promise<void> => {
  const key = repositoryKey(repository.workspaceId, repository.repositoryId);
  let current = repository;
  await untilSettled(async () => {
    const { if: isSame, values } = sameContent(current);
    const refusal = await table.write([
      {
        update: key,
        set: 'SET #contentId = :new',
        if: isSame,
        values: { ...values, ':new': randomUUID() },
      },
      leaveContent(contentIdOf(current), current.workspaceId),
    ]);
    if (!refusal) return true;
    const found = foundBy(key, refusal);
    if (!found) throw new ApiError('REPOSITORY_NOT_FOUND');
    current = found;
    return undefined;
  });
  await releaseUsage(table, current);
};

/** Takes what is out of reach off the usage of its workspace at once; the sweeper does it where this fails. */
export const releaseUsage = async (table: Table, repository: Repository): Promise<void> => {
  try {
    await endUsage(table, repository.workspaceId, contentIdOf(repository));
  } catch (error) {
    log.bestEffortFailure(error);
  }
};
