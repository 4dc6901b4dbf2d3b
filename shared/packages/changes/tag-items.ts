import type { Table } from '../../table/client.ts';
import { queryMerged } from '../../table/merged-lists.ts';
import { headRetagged } from '../../table/packages/head-writes.ts';
import { type PackageRef, tagsList, versionKey } from '../../table/packages/package-keys.ts';
import { isLive, type PackageTag, type PackageVersion } from '../../table/packages/packages.ts';
import { sameVersion, tagMoved, tagRemoved } from '../../table/packages/version-writes.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import { sameContent } from '../../table/repositories/repository-content.ts';
import { goneError } from './gone-error.ts';
import { packageChange } from './package-changes.ts';

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
      sameVersion(ref, { version, revision }),
      tagMoved(ref, tag, { version, revision, updatedAt: now }),
      headRetagged(ref, now),
    ],
    packageChange('package.changed', repository, ref.name, null, { tags: { [tag]: version } }),
  );
  // A retry of the client publishes to the new content.
  if (refusal?.[0]) throw goneError(repository, refusal, 'SERVICE_UNAVAILABLE');
  return !refusal;
};

/** Removes a tag that is an item of its own, if it is as it was read. Returns whether it was. */
export const removeTagItem = async (
  table: Table,
  repository: Repository,
  ref: PackageRef,
  tag: string,
  read: PackageTag,
): Promise<boolean> => {
  const refusal = await table.write(
    [sameContent(repository), tagRemoved(ref, tag, read), headRetagged(ref, new Date().toISOString())],
    packageChange(
      'package.changed',
      repository,
      ref.name,
      { tags: { [tag]: read.version } },
      { tags: { [tag]: null } },
    ),
  );
  if (refusal?.[0]) throw goneError(repository, refusal, 'VERSION_NOT_FOUND');
  return !refusal;
};

/** Whether a tag leads to a version that was not deleted since the tag was set. */
export const isLeading = (tag: PackageTag, version: PackageVersion | undefined): boolean =>
  isLive(version) && version.revision === tag.revision;

const tagsPerQuery = 500;

/**
 * The tags that are items of their own and lead somewhere, in the order of their bytes: the first ones after `last`. If several
 * repositories have a tag, it leads to the version of the first one.
 */
export const listTagItems = async (
  table: Table,
  refs: readonly PackageRef[],
  { last, wanted }: { readonly last: string | undefined; readonly wanted: number },
): Promise<readonly { readonly tag: string; readonly version: string }[]> => {
  const tags: { readonly tag: string; readonly version: string }[] = [];
  let after = last;
  while (tags.length < wanted && refs.length > 0) {
    const page = { after, limit: Math.min(tagsPerQuery, wanted - tags.length) };
    const { entries, next } = await queryMerged(table, refs.map(tagsList), page);
    const held = entries.map(({ position, items }) => ({
      position,
      items: items.flatMap((item, at) => {
        const ref = refs[at];
        return item && ref ? [{ item, key: versionKey(ref, item.version) }] : [];
      }),
    }));
    const versions = await table.read(held.flatMap(({ items }) => items.map(({ key }) => key)));
    for (const { position, items } of held) {
      const leading = items.find(({ item, key }) => isLeading(item, versions.find(key)));
      if (leading) tags.push({ tag: position, version: leading.item.version });
    }
    if (next === undefined) break;
    after = next;
  }
  return tags;
};
