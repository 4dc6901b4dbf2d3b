import { ApiError } from '../../errors.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import { repositoryKey } from '../../table/keys.ts';
import type { LocalRepository, Repository } from '../../table/repositories/repositories.ts';
import { requireType } from './package-address.ts';

/** The local repository that receives publications to a repository. Throws REPOSITORY_READ_ONLY if there is none. */
export const uploadTargetOf = (repository: Repository, loaded: IdentityMap): LocalRepository => {
  if (repository.repositoryType === 'local') return repository;
  if (repository.repositoryType === 'remote')
    throw new ApiError(
      'REPOSITORY_READ_ONLY',
      `'${repository.name}' is a remote repository, which only proxies its upstream: publish to a local one.`,
    );
  const { uploadLocalRepositoryId: id, workspaceId, name } = repository;
  const target = id === null ? undefined : loaded.find(repositoryKey(workspaceId, id));
  if (target?.repositoryType !== 'local')
    throw new ApiError(
      'REPOSITORY_READ_ONLY',
      `'${name}' is a virtual repository without an upload target: set its uploadLocalRepositoryId, or publish to a local repository.`,
    );
  return target;
};

/** The same for the clients of a package type. Throws REPOSITORY_NOT_FOUND if the repository in the path is of another type. */
export const publishTarget = (
  { repository, loaded }: { readonly repository: Repository; readonly loaded: IdentityMap },
  type: Parameters<typeof requireType>[1],
): LocalRepository => {
  requireType(repository, type);
  return uploadTargetOf(repository, loaded);
};

/** The repository from which a deletion removes packages. For a virtual repository, it is the upload target. */
export const deletionTargetOf = (repository: Repository, loaded: IdentityMap): Repository =>
  repository.repositoryType === 'remote' ? repository : uploadTargetOf(repository, loaded);
