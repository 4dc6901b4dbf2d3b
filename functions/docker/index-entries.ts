import { requireSize } from '../../shared/packages/index/entry-bounds.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import { neededPart } from '../../shared/packages/loose-files/loose-files.ts';
import type { ImageManifest } from './manifest.ts';

/** What the index of an image knows of a manifest about another one: its descriptor in the list of referrers. */
export interface ImageReferrer {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The maximum size of what a list of referrers says of a manifest, and of the digests that a manifest names. */
export const describedBytesMax = 64_000;
const neededBytesMax = 1_000_000;

/**
 * The parts of the entry of a manifest: what it needs, what it is about, and what a list of referrers says of it. Throws
 * PACKAGE_INVALID if they are too large.
 */
export const partsOf = (manifest: ImageManifest, size: number): readonly string[] => {
  const { mediaType, artifactType, annotations, about, blobs, children, elsewhere } = manifest;
  const described = { mediaType, size, ...(artifactType && { artifactType }), ...(annotations && { annotations }) };
  const ofReferrer = about === undefined ? [] : [about, JSON.stringify(described)];
  const needed = neededPart([...blobs, ...children, ...elsewhere]);
  requireSize('The list of the layers and manifests that the manifest names', needed, neededBytesMax);
  requireSize(
    'What the manifest says of itself to the list of referrers, its annotations,',
    ofReferrer.at(1) ?? '',
    describedBytesMax,
  );
  return [needed, ...ofReferrer];
};

/** The descriptors of the manifests about another one. */
export const referrersIn = (entries: ReadonlyMap<string, IndexEntry>, digest: string): readonly ImageReferrer[] =>
  Array.from(entries.values()).flatMap(({ version, parts: [, about, described] }) => {
    if (about !== digest || described === undefined) return [];
    const { mediaType, size, ...others } = JSON.parse(described) as Omit<ImageReferrer, 'digest'>;
    return [{ mediaType, digest: version, size, ...others }];
  });
