import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { insertRepository } from '../../shared/table/repositories.ts';
import { createLocalRepository } from './contracts.ts';
import { localRepositoryRecord } from './record.ts';

export const handler = endpoint(createLocalRepository, async ({ body, caller, workspace, table }) => {
  const { name, packageType } = body;
  const createdBy = caller.user.userId;
  const repository = await insertRepository(table, workspace, {
    name,
    packageType,
    repositoryType: 'local',
    createdBy,
  });
  if (repository === 'workspace gone') throw new ApiError('WORKSPACE_NOT_FOUND');
  if (repository === 'name taken')
    throw new ApiError('REPOSITORY_NAME_TAKEN', `A repository named '${name}' already exists in this workspace.`);
  return localRepositoryRecord(repository);
});
