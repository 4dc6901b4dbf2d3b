import { ApiError } from '../../shared/errors.ts';
import { isLeading, removeTagItem } from '../../shared/packages/changes/tag-items.ts';
import type { Table } from '../../shared/table/client.ts';
import { type PackageRef, tagKey, tagsList, versionKey } from '../../shared/table/packages/package-keys.ts';
import { queryPages } from '../../shared/table/query-pages.ts';
import { untilSettled } from '../../shared/table/races.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';

/** Removes a tag. Throws VERSION_NOT_FOUND if there is none, or if what it led to is gone. */
export const removeTag = async (table: Table, target: Repository, ref: PackageRef, tag: string): Promise<void> => {
  const key = tagKey(ref, tag);
  await untilSettled(table, async () => {
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
  for await (const items of queryPages(table, tagsList(ref)))
    for (const { position, item } of items)
      if (item.version === version) await removeTagItem(table, target, ref, position, item);
};
