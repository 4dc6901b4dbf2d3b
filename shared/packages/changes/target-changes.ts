import { ApiError } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import { packageHeadKey, versionKey } from '../../table/packages/package-keys.ts';
import { isLive, isPresent } from '../../table/packages/packages.ts';
import { contentIdOf, type Repository } from '../../table/repositories/repositories.ts';
import { answeringSources, isLocal } from '../sources/resolution.ts';
import { type Source, sourcesOf } from '../sources/sources.ts';

/** The parts of a request that changing a package needs. */
interface ChangeCall {
  readonly repository: Repository;
  readonly loaded: IdentityMap;
  readonly table: Table;
}

/** The package, or the version of it, that a request changes. `target` is the repository that stores it. */
export interface Changed {
  readonly target: Repository;
  readonly name: string;
  readonly version?: string;
}

/**
 * Makes a change in the target. If the target does not have the package but another child of the virtual repository does,
 * the refusal names that child, and says whether the request can be sent there.
 */
export const changeInTarget = async <T>(call: ChangeCall, changed: Changed, change: () => Promise<T>): Promise<T> => {
  try {
    return await change();
  } catch (error) {
    const isMissing =
      error instanceof ApiError && ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND', 'FILE_NOT_FOUND'].includes(error.code);
    throw isMissing ? await missingInTarget(call, changed, error) : error;
  }
};

/** The refusal if the target does not have the package: REPOSITORY_READ_ONLY if another child has it, else `otherwise`. */
export const missingInTarget = async (call: ChangeCall, changed: Changed, otherwise: ApiError): Promise<ApiError> => {
  const holders = call.repository.repositoryType === 'virtual' ? await otherHolders(call, changed) : [];
  return holders.length > 0 ? heldElsewhere(call.repository, changed, holders) : otherwise;
};

/** The other children of a virtual repository that have the package, or the version of it, and may answer for it. */
const otherHolders = async (
  { repository, loaded, table }: ChangeCall,
  { target, name, version }: Changed,
): Promise<readonly Source[]> => {
  const sources = sourcesOf(repository, loaded);
  const refIn = (source: Source) => ({ contentId: contentIdOf(source), name });
  const found = await table.read(
    sources.all.flatMap((source) => [
      packageHeadKey(refIn(source)),
      ...(version === undefined ? [] : [versionKey(refIn(source), version)]),
    ]),
  );
  const isHolder = (source: Source): boolean => {
    if (source.repositoryId === target.repositoryId) return false;
    return version === undefined
      ? isPresent(found.find(packageHeadKey(refIn(source))))
      : isLive(found.find(versionKey(refIn(source), version)));
  };
  return answeringSources(sources, name, found).filter(isHolder);
};

const heldElsewhere = (
  { name: address }: Repository,
  { target, name, version }: Changed,
  holders: readonly Source[],
): ApiError => {
  const what = version === undefined ? name : `${name} ${version}`;
  const namesOf = (sources: readonly Source[]): string => sources.map((source) => `'${source.name}'`).join(' and ');
  const locals = holders.filter(isLocal);
  const where =
    locals.length > 0
      ? `is in ${namesOf(locals)}: send the request there.`
      : `comes from the upstream of ${namesOf(holders)}, and cannot be changed here.`;
  return new ApiError(
    'REPOSITORY_READ_ONLY',
    `'${address}' is a virtual repository: requests to it change only its upload target '${target.name}'. ${what} ${where}`,
  );
};
