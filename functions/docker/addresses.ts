import { ApiError } from '../../shared/errors.ts';
import { alsoReadAddress, alsoReadHolders, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { reach, sourceContents } from '../../shared/packages/sources/sources.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { type PackageRef, packageHeadKey, tagKey, versionKey } from '../../shared/table/packages/package-keys.ts';
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

const refsOf = ({ params, workspaceId, loaded }: FirstRead, image: string): PackageRef[] =>
  sourceContents(reach(workspaceId, params.repository, loaded)).map((contentId) => ({ contentId, name: image }));

/** The keys that a tag leads through: where is known only once the tag was read. */
const alsoReadTag = (request: FirstRead, image: string, tag: string): readonly Key[] => {
  const refs = refsOf(request, image);
  const versions = refs.flatMap((ref) => {
    const item = request.loaded.find(tagKey(ref, tag));
    return item ? [{ ref, version: item.version }] : [];
  });
  return [
    ...alsoReadHolders(request, image),
    ...refs.map((ref) => tagKey(ref, tag)),
    ...versions.map(({ ref, version }) => versionKey(ref, version)),
    ...versions.flatMap(({ version }) => alsoReadAddress(request, manifestAddress(image, version))),
  ];
};

/** The keys of what a path is about. */
const alsoReadPath = (request: FirstRead, path: ImagePath): readonly Key[] => {
  if (path.kind === 'blob') return alsoReadAddress(request, blobAddress(path.image, path.digest));
  if (path.kind !== 'manifest') return refsOf(request, path.image).map((ref) => packageHeadKey(ref));
  const { image, reference } = path;
  return 'digest' in reference
    ? alsoReadAddress(request, manifestAddress(image, reference.digest))
    : alsoReadTag(request, image, reference.tag);
};

/** The keys that reading an image adds to the first read: a pull takes one round trip, and one more by a tag. */
export const alsoReadImage = (request: FirstRead): readonly Key[] => {
  const path = parsed(request.params.path);
  return [...alsoReadSources(request), ...(path ? alsoReadPath(request, path) : [])];
};
