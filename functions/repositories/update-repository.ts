import { ApiError, requireValid, type Violation } from '../../shared/errors.ts';
import type { BodyOf, ResultOf } from '../../shared/http/contract.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { Table } from '../../shared/table/client.ts';
import { repositoryKey } from '../../shared/table/keys.ts';
import { untilSettled } from '../../shared/table/races.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';
import { changeableFields, updateRepository } from './contracts.ts';
import { refuseOwnHost } from './own-hosts.ts';
import { localRepositoryRecord } from './record.ts';
import { changeRemote } from './remote-changes.ts';
import { changeVirtual } from './virtual-changes.ts';

type Patch = BodyOf<typeof updateRepository>;

const foreignFields = (patch: Patch, { repositoryType }: Repository): Violation[] =>
  Object.keys(patch)
    .filter((field) => !(changeableFields[repositoryType] as readonly string[]).includes(field))
    .map((field) => ({
      pointer: `/${field}`,
      rule: 'unknown',
      message: `${field} is not a field of a ${repositoryType} repository.`,
    }));

const apply = (
  table: Table,
  repository: Repository,
  patch: Patch,
): Promise<ResultOf<typeof updateRepository> | 'lost the race'> => {
  if (repository.repositoryType === 'remote') return changeRemote(table, repository, patch);
  if (repository.repositoryType === 'virtual') return changeVirtual(table, repository, patch);
  return Promise.resolve(localRepositoryRecord(repository));
};

export const handler = endpoint(updateRepository, async (call) => {
  const { body, repository, table } = call;
  const violations = foreignFields(body, repository);
  requireValid(violations);
  const { packageType } = repository;
  refuseOwnHost({ packageType, remoteRepositoryUrl: body.remoteRepositoryUrl }, call);
  let current: Repository | undefined = repository;
  const key = repositoryKey(repository.workspaceId, repository.repositoryId);
  return untilSettled(table, async (isAgain) => {
    if (isAgain) current = (await table.read([key])).find(key);
    if (!current) throw new ApiError('REPOSITORY_NOT_FOUND');
    const outcome = await apply(table, current, body);
    return outcome === 'lost the race' ? undefined : outcome;
  });
});
