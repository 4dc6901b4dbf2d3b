import { chunksOf } from '../../shared/chunks.ts';
import { ApiError } from '../../shared/errors.ts';
import { type PublishCall, publishTo } from '../../shared/packages/changes/publish-to.ts';
import { moveTagItem } from '../../shared/packages/changes/tag-items.ts';
import { useLooseFile } from '../../shared/packages/loose-files/loose-files.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import type { Table } from '../../shared/table/client.ts';
import { fileKey, type PackageRef, versionKey } from '../../shared/table/packages/package-keys.ts';
import { isLive, noVersion } from '../../shared/table/packages/packages.ts';
import { looseMilliseconds } from '../../shared/table/queues/loose-sweeps.ts';
import { untilSettled } from '../../shared/table/races.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { manifestAddress } from './addresses.ts';
import { partsOf } from './index-entries.ts';
import type { ImageManifest } from './manifest.ts';
import { unknownContent } from './refusals.ts';
import { docker } from './type.ts';

/** How many blobs are marked as used at once. */
const marksAtOnce = 25;

/**
 * Requires that an image has what a manifest names, and lets no blob of it be swept before the manifest is there: one that was
 * not used for half of the time that unneeded blobs stay is marked as used now. Throws PACKAGE_INVALID.
 */
const requireContent = async (table: Table, ref: PackageRef, { blobs, children }: ImageManifest): Promise<void> => {
  const blobKeyOf = (digest: string) => fileKey(ref, noVersion, digest);
  const loaded = await table.read([
    ...[...blobs, ...children].map(blobKeyOf),
    ...children.map((digest) => versionKey(ref, digest)),
  ]);
  const isChild = (digest: string): boolean => isLive(loaded.find(versionKey(ref, digest)));
  const needed = [...blobs, ...children.filter((digest) => !isChild(digest))];
  const missing = needed.filter((digest) => !isLive(loaded.find(blobKeyOf(digest))));
  if (missing.length > 0) throw unknownContent(missing);
  const young = new Date(Date.now() - looseMilliseconds / 2).toISOString();
  const old = needed
    .map((digest) => loaded.find(blobKeyOf(digest)))
    .filter((file) => file !== undefined)
    .filter(({ usedAt = '' }) => usedAt < young);
  for (const batch of chunksOf(old, marksAtOnce)) {
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
 * Publishes a manifest, and moves a tag to it. A manifest that the image has already is no error: then only the tag moves.
 * Throws PACKAGE_INVALID and what `publish` throws.
 */
export const publishManifest = async (
  call: PublishCall,
  target: LocalRepository,
  { image, digest, bytes, manifest, tags }: PushedManifest,
): Promise<void> => {
  const { table } = call;
  const ref = { contentId: contentIdOf(target), name: image };
  const { file } = manifestAddress(image, digest);
  const files = [{ name: file, mediaType: manifest.mediaType, received: fileInMemory(bytes) }];
  const parts = partsOf(manifest, bytes.length);
  const requireLooseFiles = async () => requireContent(table, ref, manifest);
  const version = { name: image, displayName: image, version: digest, files, parts, tagItems: tags, requireLooseFiles };
  await untilSettled(async () => {
    try {
      await publishTo(call, docker, target, version);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'VERSION_EXISTS')) throw error;
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
