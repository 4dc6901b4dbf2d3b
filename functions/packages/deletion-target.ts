import { uploadTargetOf } from '../../shared/packages/upload-target.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Repository } from '../../shared/table/repositories.ts';

/** The repository that loses what is deleted: a virtual one holds nothing itself, and takes uploads into one of its own. */
export const deletionTargetOf = (repository: Repository, loaded: IdentityMap): Repository =>
  repository.repositoryType === 'remote' ? repository : uploadTargetOf(repository, loaded);
