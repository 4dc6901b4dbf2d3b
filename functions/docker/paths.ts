import { ApiError } from '../../shared/errors.ts';
import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { isDigest } from './digests.ts';
import { invalidDigest } from './refusals.ts';

/** What a client names a manifest by: its digest, or a tag that leads to it. */
export type ImageReference = { readonly digest: string } | { readonly tag: string };

/** What stands at a path below a repository. `image` is the name of the image in the repository. */
export type ImagePath =
  | { readonly kind: 'manifest'; readonly image: string; readonly reference: ImageReference }
  | { readonly kind: 'blob'; readonly image: string; readonly digest: string }
  | { readonly kind: 'uploads'; readonly image: string }
  | { readonly kind: 'upload'; readonly image: string; readonly uploadId: string }
  | { readonly kind: 'tags'; readonly image: string }
  | { readonly kind: 'referrers'; readonly image: string; readonly digest: string };

/** A component of a name, as the specification of distribution says. */
const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/** The longest name that docker sends is 255 characters with its host. */
const nameLengthMax = 255;

/** Whether a text can be the name of an image. */
export const isImageName = (name: string): boolean =>
  name.length <= nameLengthMax && name.split('/').every((part) => component.test(part));

/** Whether a text can be a tag (github.com/opencontainers/distribution-spec, "Pulling manifests"). */
export const isTag = (text: string): boolean => /^\w[\w.-]{0,127}$/.test(text);

const malformed = (): ApiError =>
  new ApiError(
    'PACKAGE_INVALID',
    'The path must be an image and what is wanted of it, such as app/web/manifests/1.0 or app/web/blobs/sha256:…. The name of the image consists of lower case letters and digits, with . _ - and / between them.',
  );

/** The digest of a path or of a query. Throws PACKAGE_INVALID. */
export const requireDigest = (text: string): string => {
  if (isDigest(text)) return text;
  throw invalidDigest();
};

/** Parses what stands behind the repository in a path, as it was sent. Throws PACKAGE_INVALID. */
export const parsePath = (rawPath: string): ImagePath => {
  const segments = decodeSegments(rawPath.replace(/\/$/, ''));
  if (!segments) throw malformed();
  const last = segments.at(-1) ?? '';
  const at = (from: number): string => segments.slice(from).join('/');
  const named = (trailing: number): string => {
    const image = segments.slice(0, -trailing).join('/');
    if (!isImageName(image)) throw malformed();
    return image;
  };
  if (at(-2) === 'tags/list') return { kind: 'tags', image: named(2) };
  if (at(-2) === 'blobs/uploads') return { kind: 'uploads', image: named(2) };
  if (at(-3) === `blobs/uploads/${last}`) return { kind: 'upload', image: named(3), uploadId: last };
  switch (segments.at(-2) ?? '') {
    case 'manifests':
      return { kind: 'manifest', image: named(2), reference: referenceOf(last) };
    case 'blobs':
      return { kind: 'blob', image: named(2), digest: requireDigest(last) };
    case 'referrers':
      return { kind: 'referrers', image: named(2), digest: requireDigest(last) };
    default:
      throw malformed();
  }
};

/** Parses a path that must be of one kind. Throws PACKAGE_INVALID for any other. */
export const requireKind = <K extends ImagePath['kind']>(rawPath: string, kind: K): Extract<ImagePath, { kind: K }> => {
  const path = parsePath(rawPath);
  if (path.kind !== kind) throw malformed();
  return path as Extract<ImagePath, { kind: K }>;
};

const referenceOf = (text: string): ImageReference => {
  if (text.includes(':')) return { digest: requireDigest(text) };
  // What can be no tag names no manifest, which clients expect to be told as such.
  if (!isTag(text))
    throw new ApiError(
      'VERSION_NOT_FOUND',
      'A tag consists of up to 128 letters, digits, "_", "." and "-", and does not begin with "." or "-".',
    );
  return { tag: text };
};
