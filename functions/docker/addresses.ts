import { ApiError } from '../../shared/errors.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { type FileAddress, keysOfFile } from '../../shared/packages/sources/resolution.ts';
import { sourceContents } from '../../shared/packages/sources/sources.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { packageHeadKey, tagKey, versionKey } from '../../shared/table/packages/package-keys.ts';
import { noVersion } from '../../shared/table/packages/packages.ts';
import { type ImagePath, parsePath } from './paths.ts';

/** The name of the only file of a version. */
const manifestFile = 'manifest.json';

/** Where a blob of an image is. */
export const blobAddress = (image: string, digest: string): FileAddress => ({
  name: image,
  version: noVersion,
  file: digest,
});

/** Where a manifest of an image is. */
export const manifestAddress = (image: string, digest: string): FileAddress => ({
  name: image,
  version: digest,
  file: manifestFile,
});

/** What is known of a request before its first read. */
interface FirstRead {
  readonly params: { readonly repository: string; readonly path: string };
  readonly workspaceId: string;
  readonly loaded: IdentityMap;
}

const parsed = (path: string): ImagePath | undefined => {
  try {
    return parsePath(path);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

/** The keys of a manifest or a blob in a content. Where a tag leads is known only once the tag was read. */
const keysIn = (contentId: string, path: ImagePath, loaded: IdentityMap): readonly Key[] => {
  const ref = { contentId, name: path.image };
  if (path.kind === 'blob') return keysOfFile(contentId, blobAddress(path.image, path.digest));
  if (path.kind !== 'manifest') return [packageHeadKey(ref)];
  if ('digest' in path.reference) return keysOfFile(contentId, manifestAddress(path.image, path.reference.digest));
  const key = tagKey(ref, path.reference.tag);
  const tag = loaded.find(key);
  if (!tag) return [packageHeadKey(ref), key];
  return [key, versionKey(ref, tag.version), ...keysOfFile(contentId, manifestAddress(path.image, tag.version))];
};

/** The keys that reading an image adds to the first read: a pull takes one round trip, and one more by a tag. */
export const alsoReadImage = (request: FirstRead): readonly Key[] => {
  const { params, workspaceId, loaded } = request;
  const path = parsed(params.path);
  const contents = path ? sourceContents(workspaceId, params.repository, loaded) : [];
  return [
    ...alsoReadSources(request),
    ...contents.flatMap((contentId) => (path ? keysIn(contentId, path, loaded) : [])),
  ];
};
