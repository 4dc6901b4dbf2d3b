import { chunksOf } from '../../shared/chunks.ts';
import { readBlob } from '../../shared/packages/blobs/stored-bytes.ts';
import { fetchFile } from '../../shared/packages/fetch/remote-files.ts';
import { refusing } from '../../shared/packages/formats/format-refusals.ts';
import { firstAnswer, joinAnswers, refuseUnreachable } from '../../shared/packages/serve/joined-answers.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { findFiles, isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { type FetchRequest, fetchRequest, forFetching } from '../../shared/packages/upstream/upstream-request.ts';
import type { PackageFile } from '../../shared/table/packages/packages.ts';
import type { LocalRepository } from '../../shared/table/repositories/repositories.ts';
import type { RemoteSource } from '../../shared/table/repositories/verdicts.ts';
import { blobAddress, manifestAddress } from './addresses.ts';
import { answeringFor } from './from-upstreams.ts';
import { type ImageManifest, readManifest } from './manifest.ts';
import { anywhere, type ManifestCall, namedContent, type PushedManifest } from './manifests.ts';
import { unknownContent } from './refusals.ts';
import { keptBlob, keptManifest, type SourceImage } from './taken-over.ts';
import { docker } from './type.ts';
import { upstreamBlob, upstreamManifest } from './upstream.ts';
import { rulingOnBlob, rulingOnManifest, unblocked } from './verdicts.ts';

/** How many files of an image are fetched at once: the worker goes on with so many of a workspace. */
const filesAtOnce = 5;

/** Where the content of a pushed manifest is looked for. */
interface Search {
  readonly call: ManifestCall;
  readonly target: LocalRepository;
  readonly image: string;
  /** All that keep something of the image. */
  readonly from: SourceImage;
  /** The remote repositories that keep what they fetch, and may be asked for the name. */
  readonly remotes: readonly RemoteSource[];
  readonly request: FetchRequest;
}

/** The remote repositories that keep a manifest, but for those in which a verdict blocks it: their upstreams have what it names. */
const keepersOf = async ({ call, image, from, remotes }: Search, digest: string): Promise<Sources> => {
  const { sources } = unblocked({ ...from.sources, all: remotes }, image, digest, (source) =>
    rulingOnManifest(source, image, [digest]),
  );
  const files = await findFiles(call.table, sources, manifestAddress(image, digest), call.loaded);
  return { ...sources, all: files.flatMap(({ source, file }) => (file ? source : [])) };
};

/** How each kind of content is ruled on, and where it is. */
const kinds = {
  blob: { rulingOn: rulingOnBlob, kept: keptBlob, addressOf: blobAddress, upstream: upstreamBlob },
  manifest: {
    rulingOn: (source: RemoteSource, image: string, digest: string) => rulingOnManifest(source, image, [digest]),
    kept: keptManifest,
    addressOf: manifestAddress,
    upstream: upstreamManifest,
  },
} as const;

/** The content that a child keeps, or that the upstreams of some send now, unless a verdict blocks it there. */
const held = async (
  { call, image, from, request }: Search,
  keepers: Sources,
  kind: keyof typeof kinds,
  digest: string,
): Promise<PackageFile | undefined> => {
  const { rulingOn, kept, addressOf, upstream } = kinds[kind];
  const found = await kept(call.table, from, digest);
  if (found) return found;
  const { sources } = unblocked(keepers, image, digest, (source) => rulingOn(source, image, digest));
  const wanted = { address: addressOf(image, digest), cached: undefined };
  const answer = await firstAnswer(sources.all.filter(isRemote), async (source) =>
    fetchFile(request, source, wanted, async () => upstream(source, image, digest)),
  );
  return answer?.file;
};

/** Looks for what an image lacks of a manifest, and of those that it names. Returns the digests of what nobody has. */
const missingOf = async (
  search: Search,
  digest: string,
  { children }: ImageManifest,
  lacking: readonly string[],
): Promise<readonly string[]> => {
  const { call, target, image } = search;
  const keepers = await keepersOf(search, digest);
  const manifests: (readonly [string, PackageFile])[] = [];
  const find = async (each: string): Promise<true | undefined> => {
    const child = children.includes(each) ? await held(search, keepers, 'manifest', each) : undefined;
    if (child) manifests.push([each, child]);
    return child || (await held(search, keepers, 'blob', each)) ? true : undefined;
  };
  const missing: string[] = [];
  for (const batch of chunksOf(lacking, filesAtOnce)) {
    const { found, unreachable } = await joinAnswers(batch, find);
    refuseUnreachable(unreachable);
    missing.push(...batch.filter((each) => !found.some(({ source }) => source === each)));
  }
  for (const [child, { blob, mediaType }] of manifests) {
    const bytes = await readBlob(call.table, blob);
    if (!bytes) continue;
    const manifest = refusing(() => readManifest(bytes, mediaType));
    const named = await namedContent(call.table, target, image, manifest);
    missing.push(...(await missingOf(search, child, manifest, named.lacking)));
  }
  return missing;
};

/**
 * Fetches what a manifest names and no child of a virtual repository keeps, from the upstreams of the children that keep the manifest
 * itself: because HEAD says that it is there, clients do not send what it names. Upstreams are asked for no name that a local child has.
 * Returns whether the image lacked something. Throws PACKAGE_INVALID for what nobody has, the refusals of upstreams, and FILE_PENDING for
 * what takes longer than the request.
 */
export const fetchContent = async (
  call: ManifestCall,
  target: LocalRepository,
  { image, digest, manifest }: Pick<PushedManifest, 'image' | 'digest' | 'manifest'>,
): Promise<boolean> => {
  const sources = addressedSources(call, docker);
  const isKeeping = (source: RemoteSource): boolean => source.isRemoteCacheEnabled;
  if (!sources.all.some((source) => isRemote(source) && isKeeping(source))) return false;
  const { lacking } = await namedContent(call.table, target, image, manifest);
  if (lacking.length === 0) return false;
  const remotes = (await answeringFor(call.table, sources, image)).remotes.filter(isKeeping);
  if (remotes.length === 0) return false;
  const search = { target, image, from: anywhere(call, image), remotes, request: fetchRequest(call) };
  const inTime = { ...call, table: forFetching(call.table) };
  const missing = await missingOf({ ...search, call: inTime }, digest, manifest, lacking);
  if (missing.length > 0) throw unknownContent(missing);
  return true;
};
