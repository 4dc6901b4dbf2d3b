import { ApiError } from '../../errors.ts';
import { repositoryKey } from '../../table/keys.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import { foundBy, type Refusal } from '../../table/writes.ts';

/** What a request answers if its repository was emptied: what it asked for is gone, or a retry of the client finds the new content. */
type EmptiedCode = 'PACKAGE_NOT_FOUND' | 'VERSION_NOT_FOUND' | 'FILE_NOT_FOUND' | 'SERVICE_UNAVAILABLE';

/** The refusal of a change with `sameContent` at a position: REPOSITORY_NOT_FOUND if that refused it and the repository is gone, else `code`. */
export const goneError = (
  { workspaceId, repositoryId }: Repository,
  refusal: Refusal,
  code: EmptiedCode,
  at = 0,
): ApiError =>
  new ApiError(
    refusal[at] && !foundBy(repositoryKey(workspaceId, repositoryId), refusal, at) ? 'REPOSITORY_NOT_FOUND' : code,
  );
