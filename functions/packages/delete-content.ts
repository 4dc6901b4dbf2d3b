import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { emptyRepository } from '../../shared/packages/changes/content-removal.ts';
import { deleteContent } from './contracts.ts';

export const handler = endpoint(deleteContent, async ({ caller, repository, table }) => {
  if (repository.repositoryType === 'virtual')
    throw new ApiError(
      'REPOSITORY_READ_ONLY',
      `'${repository.name}' is a virtual repository, which stores nothing itself: empty the repositories that it combines.`,
    );
  if (repository.repositoryType === 'remote' && repository.releaseGate && !caller.isWorkspaceAdmin)
    throw new ApiError(
      'FORBIDDEN',
      `Only admins of the workspace may empty '${repository.name}', because its release gate would forget when it first saw versions: ask one of them, or delete single packages.`,
    );
  await emptyRepository(table, repository);
  return { repositoryId: repository.repositoryId, status: 'emptied' as const };
});
