import { ApiError } from '../../shared/errors.ts';
import type { NotCreated } from '../../shared/table/repositories.ts';

/** Why a repository of any type could not be created, as it is told. */
export const creationRefused = (name: string, { reason }: NotCreated): ApiError =>
  reason === 'name taken'
    ? new ApiError('REPOSITORY_NAME_TAKEN', `A repository named '${name}' already exists in this workspace.`)
    : new ApiError('WORKSPACE_NOT_FOUND');
