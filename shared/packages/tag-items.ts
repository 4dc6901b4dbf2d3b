import { ApiError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { type PackageRef, packageHeadKey, tagKey, versionKey } from '../table/package-keys.ts';
import type { PackageTag, PackageVersion } from '../table/packages.ts';
import type { Repository } from '../table/repositories.ts';
import type { Write } from '../table/writes.ts';
import { packageChange } from './package-changes.ts';
import { tagWrite } from './publication-head.ts';
import { sameContent } from './publication-writes.ts';

const headTouched = (ref: PackageRef, now: string): Write => ({
  update: packageHeadKey(ref),
  set: 'SET #updatedAt = :now ADD #revision :one',
  if: 'attribute_exists(pk)',
  values: { ':now': now, ':one': 1 },
});

/** Moves a tag that is an item of its own to a version. Returns false if the version was deleted or published anew since it was read. */
export const moveTagItem = async (
  table: Table,
  repository: Repository,
  ref: PackageRef,
  tag: string,
  { version, revision }: Pick<PackageVersion, 'version' | 'revision'>,
): Promise<boolean> => {
  const now = new Date().toISOString();
  const refusal = await table.write(
    [
      sameContent(repository),
      {
        check: versionKey(ref, version),
        if: '#revision = :revision AND attribute_not_exists(#deletedAt)',
        values: { ':revision': revision },
      },
      tagWrite(ref, tag, { version, revision, updatedAt: now }),
      headTouched(ref, now),
    ],
    packageChange('package.changed', repository, ref.name, null, { tags: { [tag]: version } }),
  );
  if (refusal?.[0]) throw new ApiError('REPOSITORY_NOT_FOUND');
  return !refusal;
};

/** Removes a tag that is an item of its own, if it is as it was read. Returns whether it was. */
export const removeTagItem = async (
  table: Table,
  repository: Repository,
  ref: PackageRef,
  tag: string,
  { version, revision, updatedAt }: PackageTag,
): Promise<boolean> => {
  const refusal = await table.write(
    [
      sameContent(repository),
      {
        remove: tagKey(ref, tag),
        if: '#version = :version AND #revision = :revision AND #updatedAt = :updatedAt',
        values: { ':version': version, ':revision': revision, ':updatedAt': updatedAt },
      },
      headTouched(ref, new Date().toISOString()),
    ],
    packageChange('package.changed', repository, ref.name, { tags: { [tag]: version } }, { tags: { [tag]: null } }),
  );
  if (refusal?.[0]) throw new ApiError('REPOSITORY_NOT_FOUND');
  return !refusal;
};
