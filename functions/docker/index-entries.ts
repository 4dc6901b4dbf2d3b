import type { IndexEntry } from '../../shared/packages/index-entry.ts';
import { neededPart } from '../../shared/packages/loose-files.ts';
import type { ImageManifest } from './manifest.ts';

/** What the index of an image knows of a manifest about another one: its descriptor in the list of referrers. */
export interface ImageReferrer {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The parts of the entry of a manifest: what it needs, what it is about, and what a list of referrers says of it. */
export const partsOf = (manifest: ImageManifest, size: number): readonly string[] => {
  const { mediaType, artifactType, annotations, about, blobs, children } = manifest;
  const described = { mediaType, size, ...(artifactType && { artifactType }), ...(annotations && { annotations }) };
  const ofReferrer = about === undefined ? [] : [about, JSON.stringify(described)];
  return [neededPart([...blobs, ...children]), ...ofReferrer];
};

/** The descriptors of the manifests about another one. */
export const referrersIn = (entries: ReadonlyMap<string, IndexEntry>, digest: string): readonly ImageReferrer[] =>
  Array.from(entries.values()).flatMap(({ version, parts: [, about, described] }) => {
    if (about !== digest || described === undefined) return [];
    const { mediaType, size, ...others } = JSON.parse(described) as Omit<ImageReferrer, 'digest'>;
    return [{ mediaType, digest: version, size, ...others }];
  });
