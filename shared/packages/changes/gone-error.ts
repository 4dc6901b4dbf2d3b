import { ApiError } from '../../errors.ts';
import { repositoryKey } from '../../table/keys.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import { foundBy, type Refusal } from '../../table/writes.ts';

/** What a request answers if its repository was emptied: what it asked for is gone, or a retry of the client finds the new content. */
type EmptiedCode = 'PACKAGE_NOT_FOUND' | 'VERSION_NOT_FOUND' | 'FILE_NOT_FOUND' | 'SERVICE_UNAVAILABLE';

/** The refusal of what `sameContent` refused, at a position: another request emptied the repository (`code`), or deleted it. */
export const goneError = (
  { workspaceId, repositoryId }: Repository,
  refusal: Refusal,
  code: EmptiedCode,
  at = 0,
): ApiError =>
  new ApiError(foundBy(repositoryKey(workspaceId, repositoryId), refusal, at) ? code : 'REPOSITORY_NOT_FOUND');
