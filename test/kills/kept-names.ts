import { snapshot } from '../harness/snapshot.ts';

/** Keys without those of the names that emptied local repositories keep: of each, an empty package. */
export const withoutKeptNames = async (keys: readonly string[]): Promise<string[]> => {
  const items = await snapshot();
  const emptied = new Set(
    [...items.values()].flatMap(({ repositoryType, contentId }) => (repositoryType === 'local' ? [contentId] : [])),
  );
  return keys.filter((key) => {
    const [, contentId] = /^PACKAGES?#([^#\n]+)/.exec(key) ?? [];
    const item = items.get(key);
    const isName = item?.isEmpty === true || item?.versionCount === 0;
    return contentId === undefined || !emptied.has(contentId) || !isName;
  });
};
