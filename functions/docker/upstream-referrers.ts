import { loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { hexOf, isDigest } from './digests.ts';
import { describedBytesMax, type ImageReferrer } from './index-entries.ts';
import { imageUrl, listIn } from './upstream.ts';

const indexMediaType = 'application/vnd.oci.image.index.v1+json';

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

type Referrers = UpstreamDocument<readonly ImageReferrer[]>;

const referrersAt = (source: RemoteRepository, image: string, path: string): Referrers => ({
  name: image,
  document: path.replace('/', ':'),
  url: `${imageUrl(source, image)}/${path}`,
  accept: indexMediaType,
  parse: referrersOf,
});

/** The tag under which clients keep the list for a registry without the API (distribution-spec 1.1, "Referrers Tag Schema"). */
export const fallbackTag = (digest: string): string => `sha256-${hexOf(digest)}`;

/**
 * Loads the manifests about another one at an upstream. A registry that has the API answers with a list, which may be empty; one
 * that answers 404 has it not ("Unavailable Referrers API"), so the list is at a tag. Undefined if it is not there either: nobody
 * knows then whether there are such manifests.
 */
export const loadReferrers = async (
  request: FetchRequest,
  source: RemoteRepository,
  image: string,
  digest: string,
): Promise<readonly ImageReferrer[] | undefined> => {
  const loaded =
    (await loadDocument(request, source, referrersAt(source, image, `referrers/${digest}`))) ??
    (await loadDocument(request, source, referrersAt(source, image, `manifests/${fallbackTag(digest)}`)));
  return loaded?.read();
};
