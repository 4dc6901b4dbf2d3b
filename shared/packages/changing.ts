import { ApiError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { indexChangeKey, type PackageRef, packageHeadKey, versionKey } from '../table/keys.ts';
import type { PackageVersion } from '../table/packages.ts';
import { untilSettled } from '../table/races.ts';
import type { Repository } from '../table/repositories.ts';
import type { Write } from '../table/writes.ts';
import type { IndexEntry } from './index-entry.ts';
import { loadIndex, packParts } from './package-index.ts';
import { newChangeId, sameContent } from './publication-writes.ts';
import { checkParts } from './snapshot.ts';

/** Counts a change of a package, in the transaction that makes it. */
const headTouched = (ref: PackageRef): Write => ({
  update: packageHeadKey(ref),
  set: 'SET #updatedAt = :now ADD #revision :one',
  if: 'attribute_exists(pk)',
  values: { ':now': new Date().toISOString(), ':one': 1 },
});

/** A version as its index shows it now, and the version itself. */
interface Current {
  readonly entry: IndexEntry;
  readonly version: PackageVersion;
}

const currentOf = async (table: Table, ref: PackageRef, version: string): Promise<Current> => {
  const key = versionKey(ref, version);
  const [loaded, index] = await Promise.all([table.read([key]), loadIndex(table, ref)]);
  const found = loaded.find(key);
  const entry = index?.entries.get(version);
  if (!found || found.deletedAt !== undefined || !entry) throw new ApiError('VERSION_NOT_FOUND');
  return { entry, version: found };
};

/**
 * Changes what the index says of a version, such as its deprecation. `change` is applied to what the index says at that moment,
 * and again when another request went ahead; undefined changes nothing.
 */
export const changeVersion = async (
  table: Table,
  repository: Repository,
  ref: PackageRef,
  version: string,
  change: (parts: readonly string[]) => readonly string[] | undefined,
): Promise<void> => {
  await untilSettled(async () => {
    const current = await currentOf(table, ref, version);
    const parts = change(current.entry.parts);
    if (!parts) return true;
    checkParts(parts);
    const { revision } = current.version;
    const refusal = await table.write([
      sameContent(repository),
      {
        update: versionKey(ref, version),
        set: 'SET #revision = :next',
        if: '#revision = :revision AND attribute_not_exists(#deletedAt)',
        values: { ':next': revision + 1, ':revision': revision },
      },
      { insert: { ...indexChangeKey(ref, newChangeId()), version, revision: revision + 1, parts: packParts(parts) } },
      headTouched(ref),
    ]);
    return refusal ? undefined : true;
  });
};

/** Names a version by a tag, moving the tag if it named another. VERSION_NOT_FOUND when there is no such version. */
export const setTag = async (
  table: Table,
  repository: Repository,
  ref: PackageRef,
  tag: string,
  version: string,
): Promise<void> => {
  const refusal = await table.write([
    sameContent(repository),
    { check: versionKey(ref, version), if: 'attribute_exists(pk) AND attribute_not_exists(#deletedAt)' },
    {
      update: packageHeadKey(ref),
      set: 'SET #tag = :version, #updatedAt = :now ADD #revision :one',
      if: 'attribute_exists(pk)',
      names: { '#tag': `tag:${tag}` },
      values: { ':version': version, ':now': new Date().toISOString(), ':one': 1 },
    },
  ]);
  if (refusal) throw new ApiError(refusal[0] ? 'REPOSITORY_NOT_FOUND' : 'VERSION_NOT_FOUND');
};

/** Takes a tag away; one that is not there is no error. */
export const removeTag = async (table: Table, repository: Repository, ref: PackageRef, tag: string): Promise<void> => {
  const refusal = await table.write([
    sameContent(repository),
    {
      update: packageHeadKey(ref),
      set: 'REMOVE #tag SET #updatedAt = :now ADD #revision :one',
      if: 'attribute_exists(pk)',
      names: { '#tag': `tag:${tag}` },
      values: { ':now': new Date().toISOString(), ':one': 1 },
    },
  ]);
  if (refusal) throw new ApiError(refusal[0] ? 'REPOSITORY_NOT_FOUND' : 'PACKAGE_NOT_FOUND');
};
