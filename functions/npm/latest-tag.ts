import type { TagRule } from '../../shared/packages/changes/publication.ts';
import { loadIndex } from '../../shared/packages/index/package-index.ts';
import { versionIsThere } from '../../shared/table/packages/version-writes.ts';
import { firstIsLatest } from './tags.ts';
import { latestOf } from './versions.ts';

/**
 * Keeps `latest` where readers see it, unless the publication moves it. It is not stored where an earlier release published the first
 * version, or where its version was deleted.
 */
export const keepLatest: TagRule = async (publication, head, table, ref) => {
  const { tags } = await firstIsLatest(publication, head, table, ref);
  if (tags?.includes('latest')) return { tags };
  const seen = head?.['tag:latest'] ?? latestOf((await loadIndex(table, ref))?.entries.keys() ?? []);
  // If the last version was deleted meanwhile, the transaction is refused.
  return seen === undefined ? {} : { keptTags: { 'tag:latest': seen }, alsoWritten: [versionIsThere(ref, seen)] };
};
