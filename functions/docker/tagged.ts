import { answeringSources, isLocal } from '../../shared/packages/resolution.ts';
import type { Sources } from '../../shared/packages/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { packageHeadKey, tagKey, versionKey } from '../../shared/table/package-keys.ts';
import { contentIdOf } from '../../shared/table/repositories.ts';
import { isLeading } from './tags.ts';

/** Where a tag leads, and the repository that says so. */
export interface Tagged {
  readonly digest: string;
  readonly sources: Sources;
}

/** Finds where a tag leads: in the first repository that has it. It reads nothing that `loaded` has. */
export const findTag = async (
  { table, loaded }: { readonly table: Table; readonly loaded: IdentityMap },
  sources: Sources,
  image: string,
  tag: string,
): Promise<Tagged | undefined> => {
  const places = sources.all.map((source) => ({ source, ref: { contentId: contentIdOf(source), name: image } }));
  await table.read(
    places.flatMap(({ ref }) => [packageHeadKey(ref), tagKey(ref, tag)]),
    loaded,
  );
  const tags = places.flatMap(({ ref }) => {
    const item = loaded.find(tagKey(ref, tag));
    return item ? [versionKey(ref, item.version)] : [];
  });
  await table.read(tags, loaded);
  for (const source of answeringSources(sources, image, loaded).filter(isLocal)) {
    const ref = { contentId: contentIdOf(source), name: image };
    const item = loaded.find(tagKey(ref, tag));
    if (item && isLeading(item, loaded.find(versionKey(ref, item.version))))
      return { digest: item.version, sources: { ...sources, all: [source] } };
  }
  return undefined;
};
