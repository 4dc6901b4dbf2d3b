import { ApiError } from '../../shared/errors.ts';
import { requireLevel } from '../../shared/http/authorization.ts';
import type { Caller } from '../../shared/http/caller.ts';
import { missingInTarget } from '../../shared/packages/changes/target-changes.ts';
import { type LoadedIndex, loadIndex } from '../../shared/packages/index/package-index.ts';
import { isLocal } from '../../shared/packages/sources/resolution.ts';
import { sourcesOf } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { contentIdOf, type LocalRepository, type Repository } from '../../shared/table/repositories/repositories.ts';
import { removedVersions } from './packument-update.ts';

interface UnpublishCall {
  readonly caller: Caller;
  readonly repository: Repository;
  readonly loaded: IdentityMap;
  readonly table: Table;
}

interface IndexedPackage {
  readonly target: LocalRepository;
  readonly name: string;
  readonly index: LoadedIndex;
}

/**
 * Refuses the first step of `npm unpublish`, which sends the packument without the version, if the next step would be
 * refused: the deletion of the version. Otherwise the first step would move tags although the version stays.
 */
export const requireUnpublish = async (
  call: UnpublishCall,
  { target, name, index }: IndexedPackage,
  update: { readonly versions: ReadonlySet<string> },
): Promise<void> => {
  const shown = new Set([...index.entries.keys(), ...(await versionsElsewhere(call, target, name))]);
  const omitted = removedVersions(update, shown);
  if (omitted.length > 0) requireLevel(call, 'repository-manager', 'Unpublish a version');
  const missing = omitted.find((version) => !index.entries.has(version));
  if (missing !== undefined)
    throw await missingInTarget(call, { target, name, version: missing }, new ApiError('VERSION_NOT_FOUND'));
};

/** The versions that a virtual repository shows from its other local children. */
const versionsElsewhere = async (
  { repository, loaded, table }: UnpublishCall,
  target: LocalRepository,
  name: string,
): Promise<readonly string[]> => {
  const others = sourcesOf(repository, loaded).all.filter(
    (source) => isLocal(source) && source.repositoryId !== target.repositoryId,
  );
  const indexes = await Promise.all(others.map((source) => loadIndex(table, { contentId: contentIdOf(source), name })));
  return indexes.flatMap((index) => (index ? Array.from(index.entries.keys()) : []));
};
