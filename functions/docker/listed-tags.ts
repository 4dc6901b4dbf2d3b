import { ApiError } from '../../shared/errors.ts';
import { listTagItems } from '../../shared/packages/changes/tag-items.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import type { Source, Sources } from '../../shared/packages/sources/sources.ts';
import { type CacheState, fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { Table } from '../../shared/table/client.ts';
import { packageHeadKey } from '../../shared/table/packages/package-keys.ts';
import { wasPublished } from '../../shared/table/packages/packages.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { answeringFor, fromUpstreams } from './from-upstreams.ts';
import { loadTags } from './upstream.ts';
import { rulingOnManifest } from './verdicts.ts';

/** The tags of an image in several repositories, as far as a page reaches, and where they come from. */
export interface TagPage {
  readonly tags: readonly string[];
  readonly hasMore: boolean;
  readonly origins: readonly string[];
  readonly caches: readonly CacheState[];
  readonly unreachable: readonly string[];
}

/** The order of sort keys in DynamoDB. Tags have only characters of ASCII. */
const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Lists the tags of an image in the order of their bytes. Throws PACKAGE_NOT_FOUND if no repository has the image. */
export const listTags = async (
  call: { readonly table: Table; readonly query: { readonly wait?: number | undefined } },
  sources: Sources,
  image: string,
  { last, limit }: { readonly last: string | undefined; readonly limit: number },
): Promise<TagPage> => {
  const { table } = call;
  const { loaded, locals: mayHave, remotes } = await answeringFor(table, sources, image);
  const isShown = (source: Source): boolean => readable(source, { kind: 'tags', name: image }, source) !== undefined;
  const locals = mayHave.filter(
    (source) =>
      isShown(source) && wasPublished(loaded.find(packageHeadKey({ contentId: contentIdOf(source), name: image }))),
  );
  const request = fetchRequest(call);
  const { found, unreachable } = await fromUpstreams(
    remotes.filter(isShown),
    async (source) => {
      const listed = await loadTags(request, source, image);
      const isShownTag = (tag: string): boolean => rulingOnManifest(source, image, [tag])?.state !== 'blocked';
      return listed && { ...listed, tags: listed.tags.filter(isShownTag) };
    },
    locals.length === 0,
  );
  if (locals.length === 0 && found.length === 0) throw new ApiError('PACKAGE_NOT_FOUND');
  const wanted = limit === 0 ? 0 : limit + 1;
  const after = found.flatMap(({ value }) => value.tags).filter((tag) => last === undefined || byBytes(tag, last) > 0);
  const refs = locals.map((source) => ({ contentId: contentIdOf(source), name: image }));
  const held = await listTagItems(table, refs, { last, wanted });
  const all = new Set([...held.map(({ tag }) => tag), ...after]);
  const tags = [...all].toSorted(byBytes);
  return {
    tags: tags.slice(0, limit),
    hasMore: limit > 0 && tags.length > limit,
    origins: [...locals, ...found.map(({ source }) => source)].map(({ name }) => name),
    caches: found.map(({ value }) => value.cache),
    unreachable,
  };
};
