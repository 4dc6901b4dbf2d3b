import { allOf, type Condition, equals, isThere, setFields } from '../field-writes.ts';
import { repositoryKey } from '../keys.ts';
import type { Check, Update } from '../writes.ts';
import { contentIdOf, type Repository } from './repositories.ts';

/** The repository still exists and was not emptied since it was read. */
const isSame = ({ contentId }: Repository): Condition => allOf(isThere, equals('contentId', contentId));

/** Requires that a repository still exists and was not emptied since it was read. */
export const sameContent = (repository: Repository): Check => ({
  check: repositoryKey(repository.workspaceId, repository.repositoryId),
  ...isSame(repository),
});

/** Gives a repository another content, if it has the one that was read. A local one has the names in the earlier one until the sweeper takes them over. */
export const contentReplaced = (repository: Repository, contentId: string): Update =>
  setFields(
    repositoryKey(repository.workspaceId, repository.repositoryId),
    {
      set: { contentId },
      add: {
        earlierContents: repository.repositoryType === 'local' ? new Set([contentIdOf(repository)]) : undefined,
      },
    },
    isSame(repository),
  );

/** The repository has the names of an earlier content. */
export const namesTaken = ({ workspaceId, repositoryId }: Repository, contentId: string): Update => ({
  update: repositoryKey(workspaceId, repositoryId),
  set: 'DELETE #earlierContents :earlier',
  if: 'attribute_exists(pk)',
  values: { ':earlier': new Set([contentId]) },
});
