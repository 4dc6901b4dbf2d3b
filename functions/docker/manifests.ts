import { chunksOf } from '../../shared/chunks.ts';
import { ApiError } from '../../shared/errors.ts';
import { readBlob } from '../../shared/packages/blobs/stored-bytes.ts';
import { type PublishCall, publishTo } from '../../shared/packages/changes/publish-to.ts';
import { moveTagItem } from '../../shared/packages/changes/tag-items.ts';
import { refusing } from '../../shared/packages/formats/format-refusals.ts';
import { useLooseFile } from '../../shared/packages/loose-files/loose-files.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { fileKey, type PackageRef, versionKey } from '../../shared/table/packages/package-keys.ts';
import { isLive, noVersion, type PackageFile } from '../../shared/table/packages/packages.ts';
import { looseMilliseconds } from '../../shared/table/queues/loose-sweeps.ts';
import { untilSettled } from '../../shared/table/races.ts';
import { contentIdOf, type LocalRepository, type Repository } from '../../shared/table/repositories/repositories.ts';
import { manifestAddress } from './addresses.ts';
import { partsOf } from './index-entries.ts';
import { type ImageManifest, readManifest, requireManifestSize } from './manifest.ts';
import { unknownContent } from './refusals.ts';
import { keptBlob, keptManifest, type SourceImage, takeBlob } from './taken-over.ts';
import { docker } from './type.ts';

/** How many blobs are marked as used, or taken over, at once. */
const blobsAtOnce = 25;

/** A request that publishes a manifest: what it lacks may be in the repositories that the one in the path combines. */
export interface ManifestCall extends PublishCall {
  readonly repository: Repository;
  readonly loaded: IdentityMap;
}

/**
 * The image as any child of the repository in the path has it. A digest means the same bytes everywhere, so upstreams count although
 * the name may be a local one since the push began.
 */
export const anywhere = (call: ManifestCall, image: string): SourceImage => {
  const { all, upstreamNames } = addressedSources(call, docker);
  return { sources: { all, upstreamNames: { ...upstreamNames, allow: [image] } }, loaded: call.loaded, image };
};

/**
 * Takes over what a manifest names and its image does not have. Clients do not send what HEAD says is there, which through a virtual
 * repository may be in any child. Nothing is taken over unless all is there, but for what is optional. Throws PACKAGE_INVALID.
 */
const takeOver = async (
  call: ManifestCall,
  target: LocalRepository,
  image: string,
  { lacking, optional, children }: Record<'lacking' | 'optional' | 'children', readonly string[]>,
): Promise<void> => {
  const from = anywhere(call, image);
  const find = async (digest: string) => {
    const manifest = children.includes(digest) ? await keptManifest(call.table, from, digest) : undefined;
    if (manifest) return async () => takeManifest(call, target, image, digest, manifest);
    const blob = await keptBlob(call.table, from, digest);
    return blob && (async () => takeBlob(call, target, image, blob));
  };
  const found: (() => Promise<void>)[] = [];
  for (const batch of chunksOf([...lacking, ...optional], blobsAtOnce)) {
    const each = await Promise.all(batch.map(find));
    const missing = batch.filter((digest, at) => !each[at] && !optional.includes(digest));
    if (missing.length > 0) throw unknownContent([...missing, ...lacking.slice(found.length + batch.length)]);
    found.push(...each.filter((take) => take !== undefined));
  }
  // Manifests one by one: each takes over blobs of its own.
  for (const batch of chunksOf(found, children.length > 0 ? 1 : blobsAtOnce))
    await Promise.all(batch.map(async (take) => take()));
};

/** Publishes a manifest that another repository has, with what it names. */
const takeManifest = async (
  call: ManifestCall,
  target: LocalRepository,
  image: string,
  digest: string,
  { size, blob, mediaType }: PackageFile,
): Promise<void> => {
  requireManifestSize(size);
  const bytes = await readBlob(call.table, blob);
  if (!bytes) throw unknownContent([digest]);
  const manifest = refusing(() => readManifest(bytes, mediaType));
  await publishManifest(call, target, { image, digest, bytes, manifest, tags: [] });
};

/** The blobs and manifests that an image has of those that a manifest names, and the digests of those that it lacks. */
export const namedContent = async (
  table: Table,
  target: LocalRepository,
  image: string,
  { blobs, children, elsewhere }: ImageManifest,
) => {
  const ref = { contentId: contentIdOf(target), name: image };
  const blobKeyOf = (digest: string) => fileKey(ref, noVersion, digest);
  const loaded = await table.read([
    ...[...blobs, ...children, ...elsewhere].map(blobKeyOf),
    ...children.map((digest) => versionKey(ref, digest)),
  ]);
  const isChild = (digest: string): boolean => isLive(loaded.find(versionKey(ref, digest)));
  const isAbsent = (digest: string): boolean => !isLive(loaded.find(blobKeyOf(digest)));
  const needed = [...blobs, ...children.filter((digest) => !isChild(digest))];
  const files = [...needed, ...elsewhere]
    .map((digest) => loaded.find(blobKeyOf(digest)))
    .filter((file) => isLive(file));
  return { ref, files, lacking: needed.filter(isAbsent), optional: elsewhere.filter(isAbsent) };
};

/**
 * Requires that an image has what a manifest names, but for what is also elsewhere, or takes it over. It lets no blob of it be swept before
 * the manifest is there: one that was not used for half of the time that unneeded blobs stay is marked as used now. Throws PACKAGE_INVALID.
 */
const requireContent = async (
  call: ManifestCall,
  target: LocalRepository,
  image: string,
  manifest: ImageManifest,
): Promise<void> => {
  const { table } = call;
  const { ref, files, lacking, optional } = await namedContent(table, target, image, manifest);
  const { children } = manifest;
  if (lacking.length + optional.length > 0) await takeOver(call, target, image, { lacking, optional, children });
  const young = new Date(Date.now() - looseMilliseconds / 2).toISOString();
  const old = files.filter(({ usedAt = '' }) => usedAt < young);
  for (const batch of chunksOf(old, blobsAtOnce)) {
    const kept = await Promise.all(batch.map((file) => useLooseFile(table, ref, file)));
    const gone = batch.filter((_, index) => !kept[index]).map(({ file }) => file);
    if (gone.length > 0) throw unknownContent(gone);
  }
};

/** A manifest that a client pushes. */
export interface PushedManifest {
  readonly image: string;
  readonly digest: string;
  readonly bytes: Buffer;
  readonly manifest: ImageManifest;
  readonly tags: readonly string[];
}

/**
 * Publishes a manifest, and moves a tag to it. One that the image has already is no error, as long as it has all that this one names: then
 * only the tag moves. Throws PACKAGE_INVALID and what `publish` throws.
 */
export const publishManifest = async (
  call: ManifestCall,
  target: LocalRepository,
  { image, digest, bytes, manifest, tags }: PushedManifest,
): Promise<void> => {
  const { table } = call;
  const ref = { contentId: contentIdOf(target), name: image };
  const { file } = manifestAddress(image, digest);
  const files = [{ name: file, mediaType: manifest.mediaType, received: fileInMemory(bytes) }];
  const parts = partsOf(manifest, bytes.length);
  const requireLooseFiles = async () => requireContent(call, target, image, manifest);
  const version = { name: image, displayName: image, version: digest, files, parts, tagItems: tags, requireLooseFiles };
  await untilSettled(table, async () => {
    try {
      await publishTo(call, docker, target, version);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'VERSION_EXISTS')) throw error;
      // Manifests that an index names may have been deleted since.
      await requireLooseFiles();
      return moveTags(table, target, ref, { digest, tags });
    }
  });
};

/** Moves tags to a manifest that is there; undefined if it was deleted in the meantime. */
const moveTags = async (
  table: Table,
  target: LocalRepository,
  ref: PackageRef,
  { digest, tags }: Pick<PushedManifest, 'digest' | 'tags'>,
): Promise<true | undefined> => {
  const key = versionKey(ref, digest);
  const version = (await table.read([key])).find(key);
  if (!isLive(version)) return undefined;
  const moved = await Promise.all(tags.map((tag) => moveTagItem(table, target, ref, tag, version)));
  return moved.every(Boolean) || undefined;
};
