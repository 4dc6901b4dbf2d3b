import type { Infer } from '../../shared/http/schema.ts';
import type { Repository } from '../../shared/table/repositories.ts';
import type { localRepositoryRecord as shape } from './contracts.ts';

/** A local repository as it is told. */
export const localRepositoryRecord = (repository: Repository): Infer<typeof shape> => ({
  id: repository.repositoryId,
  name: repository.name,
  packageType: repository.packageType,
  repositoryType: 'local',
  status: 'active',
  workspaceId: repository.workspaceId,
  createdAt: repository.createdAt,
  createdBy: repository.createdBy,
});
