import { ApiError } from '../../shared/errors.ts';
import type { Source } from '../../shared/packages/sources.ts';
import { removeTagItem } from '../../shared/packages/tag-items.ts';
import type { Table } from '../../shared/table/client.ts';
import { queryMerged } from '../../shared/table/merged-lists.ts';
import { type PackageRef, tagKey, tagsList, versionKey } from '../../shared/table/package-keys.ts';
import { isLive, type PackageTag, type PackageVersion } from '../../shared/table/packages.ts';
import { untilSettled } from '../../shared/table/races.ts';
import { contentIdOf, type Repository } from '../../shared/table/repositories.ts';

/** Whether a tag leads to a version that was not deleted since the tag was set. */
export const isLeading = (tag: PackageTag, version: PackageVersion | undefined): boolean =>
  isLive(version) && version.revision === tag.revision;

/** Removes a tag. Throws VERSION_NOT_FOUND if there is none, or if what it led to is gone. */
export const removeTag = async (table: Table, target: Repository, ref: PackageRef, tag: string): Promise<void> => {
  const key = tagKey(ref, tag);
  await untilSettled(async () => {
    const found = (await table.read([key])).find(key);
    const at = found && versionKey(ref, found.version);
    if (!found || !at || !isLeading(found, (await table.read([at])).find(at))) throw new ApiError('VERSION_NOT_FOUND');
    return (await removeTagItem(table, target, ref, tag, found)) || undefined;
  });
};

/** Removes the tags that led to a deleted version. They lead nowhere already, so a crash before this only leaves unused items. */
export const removeTagsOf = async (
  table: Table,
  target: Repository,
  ref: PackageRef,
  version: string,
): Promise<void> => {
  let after: string | undefined;
  do {
    const { items, next } = await table.query(tagsList(ref), { after });
    for (const { position, item } of items)
      if (item.version === version) await removeTagItem(table, target, ref, position, item);
    after = next;
  } while (after !== undefined);
};

const tagsPerQuery = 500;

/** The tags of an image in local repositories, the first ones after `last`, in the order of their bytes. */
export const localTags = async (
  table: Table,
  sources: readonly Source[],
  image: string,
  { last, wanted }: { readonly last: string | undefined; readonly wanted: number },
): Promise<readonly string[]> => {
  const refs = sources.map((source) => ({ contentId: contentIdOf(source), name: image }));
  const tags: string[] = [];
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
    for (const { position, items } of held)
      if (items.some(({ item, key }) => isLeading(item, versions.find(key)))) tags.push(position);
    if (next === undefined) break;
    after = next;
  }
  return tags;
};
