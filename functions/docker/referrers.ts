import { ApiError } from '../../shared/errors.ts';
import { loadIndex } from '../../shared/packages/index/package-index.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import type { Source, Sources } from '../../shared/packages/sources/sources.ts';
import { fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { Table } from '../../shared/table/client.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { answeringFor, fromUpstreams } from './from-upstreams.ts';
import { type ImageReferrer, referrersIn } from './index-entries.ts';
import { fallbackTag, loadReferrers } from './upstream-referrers.ts';
import { rulingOnManifest } from './verdicts.ts';

/** The manifests about another one, and the names of the repositories whose upstreams failed. */
export interface FoundReferrers {
  readonly referrers: readonly ImageReferrer[];
  readonly unreachable: readonly string[];
}

/** The maximum size of the descriptors in one answer: a response of Lambda has at most 6 MB. */
const pageBytesMax = 4_000_000;

/** The first manifests after a digest, in the order of digests, as many as fit into an answer; `next` is where the next page begins. */
export const referrersPage = (
  referrers: readonly ImageReferrer[],
  last = '',
): { readonly manifests: readonly ImageReferrer[]; readonly next: string | undefined } => {
  const following = referrers
    .filter(({ digest }) => digest > last)
    .toSorted((one, other) => (one.digest < other.digest ? -1 : 1));
  let bytes = 0;
  const end = following.findIndex((each) => {
    bytes += Buffer.byteLength(JSON.stringify(each));
    return bytes > pageBytesMax;
  });
  if (end === -1) return { manifests: following, next: undefined };
  const manifests = following.slice(0, Math.max(end, 1));
  return { manifests, next: manifests.at(-1)?.digest };
};

/**
 * The manifests about another one, in all repositories that may answer for the image. Throws VERSION_NOT_FOUND if none are found
 * and an upstream has no such list: clients then look for the fallback tag, and would take an empty list for the truth.
 */
export const findReferrers = async (
  call: { readonly table: Table; readonly query: { readonly wait?: number | undefined } },
  sources: Sources,
  image: string,
  digest: string,
): Promise<FoundReferrers> => {
  const { table } = call;
  const answering = await answeringFor(table, sources, image);
  const isShown = (source: Source): boolean => readable(source, { kind: 'index', name: image }, source) !== undefined;
  const [locals, remotes] = [answering.locals.filter(isShown), answering.remotes.filter(isShown)];
  const indexes = await Promise.all(
    locals.map((source) => loadIndex(table, { contentId: contentIdOf(source), name: image })),
  );
  const request = fetchRequest(call);
  const { found, unreachable } = await fromUpstreams(
    remotes,
    async (source) => {
      const all = await loadReferrers(request, source, image, digest);
      return all?.filter((each) => rulingOnManifest(source, image, [each.digest])?.state !== 'blocked');
    },
    locals.length === 0,
  );
  const all = [
    ...indexes.flatMap((index) => (index ? referrersIn(index.entries, digest) : [])),
    ...found.flatMap(({ value }) => value),
  ];
  const isUnknown = remotes.length > found.length + unreachable.length;
  if (isUnknown && all.length === 0)
    throw new ApiError(
      'VERSION_NOT_FOUND',
      `An upstream of this repository has no list of referrers, and no tag '${fallbackTag(digest)}' in place of it.`,
    );
  return { referrers: [...new Map(all.map((each) => [each.digest, each])).values()], unreachable };
};
