import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { emptyRepository } from '../../shared/packages/changes/content-removal.ts';
import { deleteContent } from './contracts.ts';

export const handler = endpoint(deleteContent, async ({ repository, table }) => {
  if (repository.repositoryType === 'virtual')
    throw new ApiError(
      'REPOSITORY_READ_ONLY',
      `'${repository.name}' is a virtual repository, which stores nothing itself: empty the repositories that it combines.`,
    );
  await emptyRepository(table, repository);
  return { repositoryId: repository.repositoryId, status: 'emptied' as const };
});
