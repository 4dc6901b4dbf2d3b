import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { originHeaders } from '../../shared/packages/origin-headers.ts';
import { addressedSources } from '../../shared/packages/package-address.ts';
import { type FileAddress, findPlaces, isLocal } from '../../shared/packages/resolution.ts';
import { serveFile, serveInline } from '../../shared/packages/serving.ts';
import type { Sources } from '../../shared/packages/sources.ts';
import { alsoReadImage, blobAddress, manifestAddress } from './addresses.ts';
import { digestHeader, fullName, imageUrl } from './answers.ts';
import { findUpload, progressAnswer } from './blob-uploads.ts';
import { getImageContent } from './contracts.ts';
import { type ImageReference, parsePath } from './paths.ts';
import { findReferrers } from './referrers.ts';
import { findTag } from './tagged.ts';
import { listTags } from './tags.ts';

type GetCall = Call<typeof getImageContent>;
type Answer = Promise<BytesResult | RedirectResult>;

const tagsMax = 1_000;

const serve = async (
  call: GetCall,
  sources: Sources,
  address: FileAddress,
  { digest, served }: { readonly digest: string; readonly served: typeof serveFile },
): Promise<BytesResult | RedirectResult | undefined> => {
  const places = await findPlaces(call.table, sources, address, call.loaded);
  const found = places.find(({ source, file }) => isLocal(source) && file);
  const headers = { ...originHeaders({ origins: [found?.source.name ?? ''] }), ...digestHeader(digest) };
  return found?.file && served(call, found.file, headers);
};

const answerManifest = async (call: GetCall, sources: Sources, image: string, reference: ImageReference): Answer => {
  const tagged = 'tag' in reference ? await findTag(call, sources, image, reference.tag) : undefined;
  const found = 'tag' in reference ? tagged : { digest: reference.digest, sources };
  const answer =
    found &&
    (await serve(call, found.sources, manifestAddress(image, found.digest), {
      digest: found.digest,
      served: serveInline,
    }));
  if (!answer) throw new ApiError('VERSION_NOT_FOUND', 'The image has no such manifest, or no such tag.');
  return answer;
};

const answerBlob = async (call: GetCall, sources: Sources, image: string, digest: string): Answer => {
  const answer = await serve(call, sources, blobAddress(image, digest), { digest, served: serveFile });
  if (!answer) throw new ApiError('FILE_NOT_FOUND', 'The image has no such blob.');
  return answer;
};

const answerTags = async (call: GetCall, sources: Sources, image: string): Answer => {
  const { n: limit = tagsMax, last } = call.query;
  const page = await listTags(call.table, sources, image, { last, limit: Math.min(limit, tagsMax) });
  const next = page.hasMore ? page.tags.at(-1) : undefined;
  const parameters = new URLSearchParams({ n: String(limit), last: next ?? '' });
  return {
    kind: 'bytes',
    mediaType: 'application/json',
    content: JSON.stringify({ name: fullName(call, image), tags: page.tags }),
    headers: {
      ...originHeaders({ origins: page.sources.map(({ name }) => name) }),
      ...(next !== undefined && {
        Link: `<${imageUrl(call, image)}/tags/list?${parameters.toString()}>; rel="next"`,
      }),
    },
  };
};

const indexMediaType = 'application/vnd.oci.image.index.v1+json';

const answerReferrers = async (call: GetCall, sources: Sources, image: string, digest: string): Answer => {
  const { artifactType } = call.query;
  const all = await findReferrers(call.table, sources, image, digest);
  const manifests = artifactType === undefined ? all : all.filter((each) => each.artifactType === artifactType);
  return {
    kind: 'bytes',
    mediaType: indexMediaType,
    content: JSON.stringify({ schemaVersion: 2, mediaType: indexMediaType, manifests }),
    headers: artifactType === undefined ? {} : { 'OCI-Filters-Applied': 'artifactType' },
  };
};

export const handler = endpoint(
  getImageContent,
  async (call): Answer => {
    const sources = addressedSources(call, 'docker');
    const path = parsePath(call.params.path);
    switch (path.kind) {
      case 'manifest':
        return answerManifest(call, sources, path.image, path.reference);
      case 'blob':
        return answerBlob(call, sources, path.image, path.digest);
      case 'tags':
        return answerTags(call, sources, path.image);
      case 'referrers':
        return answerReferrers(call, sources, path.image, path.digest);
      case 'upload':
        return progressAnswer(call, 204, await findUpload(call, path.image, path.uploadId));
      case 'uploads':
        throw new ApiError('FILE_NOT_FOUND', 'Begin an upload with POST to this address.');
      default:
        return path satisfies never;
    }
  },
  { alsoRead: alsoReadImage },
);
