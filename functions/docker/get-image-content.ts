import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { isLost, requireBlob } from '../../shared/packages/blobs/stored-bytes.ts';
import { type ServeFile, serveBlob, serveInline } from '../../shared/packages/serve/file-answers.ts';
import { serveAddressedFile } from '../../shared/packages/serve/file-download.ts';
import { isOfUpstream } from '../../shared/packages/serve/joined-answers.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import { servedKeyOf } from '../../shared/packages/sources/identifiers.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { type FileAddress, isLocal } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { alsoReadImage, blobAddress, manifestAddress } from './addresses.ts';
import { digestHeader, fullName, imageUrl } from './answers.ts';
import { findUpload, progressAnswer } from './blob-uploads.ts';
import { getImageContent } from './contracts.ts';
import { listTags } from './listed-tags.ts';
import { type ImageReference, parsePath } from './paths.ts';
import { findReferrers, referrersPage } from './referrers.ts';
import { findTag, type Tagged } from './tagged.ts';
import { docker } from './type.ts';
import { upstreamBlob, upstreamManifest } from './upstream.ts';
import { rulingOnBlob, rulingOnManifest, unblocked } from './verdicts.ts';

type GetCall = Call<typeof getImageContent>;
type Answer = Promise<BytesResult | RedirectResult>;

const tagsMax = 1_000;

/** How a file of an image is found at upstreams and served. */
interface Served {
  readonly digest: string;
  readonly upstream: typeof upstreamBlob;
  readonly serve: ServeFile;
  /** How the tag was found that led here. */
  readonly tagged?: Tagged | undefined;
  /** Set if the client asks whether it may leave a blob out of a push. */
  readonly isForPush?: boolean;
}

const serve = async (
  call: GetCall,
  sources: Sources,
  address: FileAddress,
  { digest, upstream, serve: serveAs, tagged, isForPush = false }: Served,
): Promise<BytesResult | RedirectResult | undefined> => {
  const locate = async (source: RemoteRepository) => upstream(source, address.name, digest);
  try {
    return await serveAddressedFile(call, sources, address, locate, {
      isSameAnywhere: true,
      serve: serveAs,
      headers: { ...(tagged?.cache && headersOfTag(tagged)), ...digestHeader(digest) },
    });
  } catch (error) {
    // Clients ask with HEAD whether they must push the bytes: those that the store has lost, they must.
    if (call.isHead && isLost(error)) return undefined;
    // The client then pushes the blob, which needs no upstream.
    if (isForPush && isOfUpstream(error)) return undefined;
    throw error;
  }
};

/** A remote repository may know the manifest, and ask for the tag: the answer is as fresh as the tag is. */
const headersOfTag = ({ source, cache, unreachable }: Tagged): Record<string, string> =>
  originHeaders({ origins: [source.name], unreachable, ...(cache && { caches: [cache] }) });

/**
 * Notes for the log line which tag was asked for, also with HEAD: containerd asks so, and then gets the manifest by its digest, or has it
 * already.
 */
const noteTag = ({ table }: GetCall, { source }: Tagged, image: string, tag: string): void => {
  const served = servedKeyOf(source.workspaceId, source.packageType, image, tag);
  table.usage.served = { ...table.usage.served, tag: served, address: table.author.sourceAddress };
};

const answerManifest = async (call: GetCall, sources: Sources, image: string, reference: ImageReference): Answer => {
  const tagged = 'tag' in reference ? await findTag(call, sources, image, reference.tag) : undefined;
  const digest = 'tag' in reference ? tagged?.digest : reference.digest;
  const asked = 'tag' in reference ? reference.tag : reference.digest;
  // What a tag leads to was decided with the tag.
  const { sources: among, refusal } = tagged
    ? { sources: { ...sources, all: [tagged.source] }, refusal: undefined }
    : unblocked(sources, image, asked, (source) => rulingOnManifest(source, image, [asked]));
  const answer =
    digest === undefined
      ? undefined
      : await serve(call, among, manifestAddress(image, digest), {
          digest,
          upstream: upstreamManifest,
          serve: serveInline,
          tagged,
        });
  if (!answer) throw refusal ?? new ApiError('VERSION_NOT_FOUND', 'The image has no such manifest, or no such tag.');
  // A client that is sent to wait has nothing yet.
  if (tagged && 'tag' in reference && answer.kind === 'bytes') noteTag(call, tagged, image, reference.tag);
  return answer;
};

/** A client that asks with HEAD sends no bytes that are here: the store itself must have them, and not only this process. */
const serveStoredBlob: ServeFile = async (request, file, headers) => {
  if (request.isHead) await requireBlob(request.table, file.blob, file.size);
  return serveBlob(request, file, headers);
};

/** Whether a client asks what it may leave out of a push: with HEAD, through a virtual repository that takes pushes. */
const asksForPush = ({ isHead, repository }: GetCall): boolean =>
  isHead && repository.repositoryType === 'virtual' && repository.uploadLocalRepositoryId !== null;

/** Sources without those that keep nothing of their upstreams: a push can take over only what is kept. */
const keeping = (sources: Sources): Sources => ({
  ...sources,
  all: sources.all.filter((source) => isLocal(source) || source.isRemoteCacheEnabled),
});

const answerBlob = async (call: GetCall, all: Sources, image: string, digest: string): Answer => {
  const isForPush = asksForPush(call);
  const served = { digest, upstream: upstreamBlob, serve: serveStoredBlob, isForPush };
  const sources = isForPush ? keeping(all) : all;
  const { sources: among, refusal } = unblocked(sources, image, digest, (source) =>
    rulingOnBlob(source, image, digest),
  );
  const answer = await serve(call, among, blobAddress(image, digest), served);
  if (!answer) throw refusal ?? new ApiError('FILE_NOT_FOUND', 'The image has no such blob.');
  return answer;
};

const answerTags = async (call: GetCall, sources: Sources, image: string): Answer => {
  const { n: limit = tagsMax, last } = call.query;
  const page = await listTags(call, sources, image, { last, limit: Math.min(limit, tagsMax) });
  const next = page.hasMore ? page.tags.at(-1) : undefined;
  const parameters = new URLSearchParams({ n: String(limit), last: next ?? '' });
  return {
    kind: 'bytes',
    mediaType: 'application/json',
    content: JSON.stringify({ name: fullName(call, image), tags: page.tags }),
    headers: {
      ...originHeaders(page),
      ...(next !== undefined && {
        Link: `<${imageUrl(call, image)}/tags/list?${parameters.toString()}>; rel="next"`,
      }),
    },
  };
};

const indexMediaType = 'application/vnd.oci.image.index.v1+json';

const answerReferrers = async (call: GetCall, sources: Sources, image: string, digest: string): Answer => {
  const { artifactType, last } = call.query;
  const { referrers, unreachable } = await findReferrers(call, sources, image, digest);
  const wanted =
    artifactType === undefined ? referrers : referrers.filter((each) => each.artifactType === artifactType);
  const { manifests, next } = referrersPage(wanted, last);
  const parameters = new URLSearchParams({ ...(artifactType !== undefined && { artifactType }), last: next ?? '' });
  return {
    kind: 'bytes',
    mediaType: indexMediaType,
    content: JSON.stringify({ schemaVersion: 2, mediaType: indexMediaType, manifests }),
    headers: {
      ...originHeaders({ origins: sources.all.map(({ name }) => name), unreachable }),
      ...(artifactType !== undefined && { 'OCI-Filters-Applied': 'artifactType' }),
      ...(next !== undefined && {
        Link: `<${imageUrl(call, image)}/referrers/${digest}?${parameters.toString()}>; rel="next"`,
      }),
    },
  };
};

export const handler = endpoint(
  getImageContent,
  async (call): Answer => {
    const sources = addressedSources(call, docker);
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
