import { loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { defaultMetadataLimits } from '../../shared/upstream/read-metadata.ts';
import { hexOf, isDigest } from './digests.ts';
import { describedBytesMax, type ImageReferrer } from './index-entries.ts';
import { ociIndex } from './manifest.ts';
import { imageUrl, listIn, nextQuery, pagesFrom } from './upstream.ts';

const isReferrer = (value: unknown): value is ImageReferrer =>
  typeof value === 'object' && value !== null && 'digest' in value && isDigest(String(value.digest));

const typeLengthMax = 255;

/** A media type of an upstream, which may be anything. */
const shortened = (value: unknown): string => String(value).slice(0, typeLengthMax);

/** What an upstream says of a manifest, without annotations that are larger than those of a manifest here may be. */
const bounded = (referrer: ImageReferrer): ImageReferrer => {
  if (Buffer.byteLength(JSON.stringify(referrer)) <= describedBytesMax) return referrer;
  const { mediaType, digest, size, artifactType } = referrer;
  const type = artifactType !== undefined && artifactType.length <= typeLengthMax ? { artifactType } : {};
  return { mediaType: shortened(mediaType), digest, size, ...type };
};

/** The referrers in an answer of an upstream. */
export const referrersOf = (kept: Uint8Array): readonly ImageReferrer[] =>
  listIn(kept, 'manifests').filter(isReferrer).map(bounded);

/** The referrers in one answer of an upstream, and the query that asks for the next ones, if it says so. */
interface UpstreamReferrers {
  readonly manifests: readonly ImageReferrer[];
  readonly next?: string | undefined;
}

const referrersAt = (source: RemoteRepository, image: string, path: string): UpstreamDocument<UpstreamReferrers> => {
  const url = `${imageUrl(source, image)}/${path}`;
  return {
    name: image,
    document: path.replace('/', ':'),
    url,
    accept: ociIndex,
    condense: (sent, { headers }) => {
      const page = { manifests: referrersOf(sent), next: nextQuery(headers.link, url) } satisfies UpstreamReferrers;
      return Buffer.from(JSON.stringify(page));
    },
    // Earlier releases kept the answer itself.
    parse: (kept) => {
      const { next } = JSON.parse(Buffer.from(kept).toString()) as { readonly next?: unknown };
      return { manifests: referrersOf(kept), ...(typeof next === 'string' && { next }) };
    },
  };
};

/** The tag under which clients keep the list for a registry without the API (distribution-spec 1.1, "Referrers Tag Schema"). */
export const fallbackTag = (digest: string): string => `sha256-${hexOf(digest)}`;

/**
 * Loads the manifests about another one at an upstream, from up to 20 answers that are together as large as one may be. A registry that
 * has the API answers with a list, which may be empty; one that answers 404 has it not ("Unavailable Referrers API"), so the list is at a
 * tag. Undefined if it is not there either: nobody knows then whether there are such manifests.
 */
export const loadReferrers = async (
  request: FetchRequest,
  source: RemoteRepository,
  image: string,
  digest: string,
): Promise<readonly ImageReferrer[] | undefined> => {
  let bytes = 0;
  const load = async (path: string): Promise<UpstreamReferrers | undefined> => {
    const loaded = await loadDocument(request, source, referrersAt(source, image, path));
    bytes += loaded?.bytes ?? 0;
    const page = await loaded?.read();
    return page && bytes > defaultMetadataLimits.bytesMax ? { manifests: page.manifests } : page;
  };
  const pages: UpstreamReferrers[] = [];
  for await (const page of pagesFrom('', async (query) => load(`referrers/${digest}${query}`))) pages.push(page);
  if (pages.length > 0) return pages.flatMap(({ manifests }) => manifests);
  return (await load(`manifests/${fallbackTag(digest)}`))?.manifests;
};
