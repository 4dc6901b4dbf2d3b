import { ApiError } from '../../shared/errors.ts';
import type { Table } from '../../shared/table/client.ts';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import { repositoryKey } from '../../shared/table/keys.ts';
import type { NotCreated, Repository } from '../../shared/table/repositories/repositories.ts';

/** The refusal of a creation, whatever the type of the repository. */
export const creationRefused = (name: string, { reason }: NotCreated): ApiError =>
  reason === 'name taken'
    ? new ApiError('REPOSITORY_NAME_TAKEN', `A repository named '${name}' already exists in this workspace.`)
    : new ApiError(reason === 'key taken' ? 'IDEMPOTENCY_KEY_REUSED' : 'WORKSPACE_NOT_FOUND');

/** Answers a creation again: with the record of what it created. */
export const answeringAgain =
  <Type extends Repository['repositoryType'], Result>(
    type: Type,
    record: (repository: Extract<Repository, { repositoryType: Type }>) => Result,
  ) =>
  async (
    { workspace: { workspaceId }, table }: { readonly workspace: Workspace; readonly table: Table },
    repositoryId: string,
  ): Promise<Result | undefined> => {
    const key = repositoryKey(workspaceId, repositoryId);
    const repository = (await table.read([key])).find(key);
    return repository && isOf(repository, type) ? record(repository) : undefined;
  };

const isOf = <Type extends Repository['repositoryType']>(
  repository: Repository,
  type: Type,
): repository is Extract<Repository, { repositoryType: Type }> => repository.repositoryType === type;
