import { allOf, type Condition, equals, isThere, setFields } from '../field-writes.ts';
import { repositoryKey } from '../keys.ts';
import type { Check, Update } from '../writes.ts';
import type { Repository } from './repositories.ts';

/** The repository still exists and was not emptied since it was read. */
const isSame = ({ contentId }: Repository): Condition => allOf(isThere, equals('contentId', contentId));

/** Requires that a repository still exists and was not emptied since it was read. */
export const sameContent = (repository: Repository): Check => ({
  check: repositoryKey(repository.workspaceId, repository.repositoryId),
  ...isSame(repository),
});

/** Gives a repository another content, if it has the one that was read. */
export const contentReplaced = (repository: Repository, contentId: string): Update =>
  setFields(repositoryKey(repository.workspaceId, repository.repositoryId), { set: { contentId } }, isSame(repository));
