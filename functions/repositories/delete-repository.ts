import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { repositoryKey } from '../../shared/table/keys.ts';
import { removeRepository, repositoryOf } from '../../shared/table/repositories.ts';
import { deleteRepository } from './contracts.ts';

export const handler = endpoint(deleteRepository, async ({ repository, table }) => {
  const { workspaceId, repositoryId } = repository;
  const outcome = await removeRepository(table, repository);
  if (outcome === 'gone') throw new ApiError('REPOSITORY_NOT_FOUND');
  if (outcome === 'changed')
    throw new ApiError('SERVICE_UNAVAILABLE', 'The repository was changed at the same moment. Try again.');
  if (outcome === 'removed') return { repositoryId, status: 'deleted' as const };
  const keys = outcome.listedBy.map((id) => repositoryKey(workspaceId, id));
  const found = await table.read(keys);
  const names = keys.map((key) => repositoryOf(found.find(key))?.name).filter((name) => name !== undefined);
  const detail = `Virtual repositories list this repository: ${names.toSorted().join(', ')}. Take it out of them, or delete them, first.`;
  throw new ApiError('REPOSITORY_IN_USE', detail);
});
