import { ApiError } from '../../shared/errors.ts';
import type { NotCreated } from '../../shared/table/repositories.ts';

/** The refusal of a creation, whatever the type of the repository. */
export const creationRefused = (name: string, { reason }: NotCreated): ApiError =>
  reason === 'name taken'
    ? new ApiError('REPOSITORY_NAME_TAKEN', `A repository named '${name}' already exists in this workspace.`)
    : new ApiError('WORKSPACE_NOT_FOUND');
