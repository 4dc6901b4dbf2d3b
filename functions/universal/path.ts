import { ApiError } from '../../shared/errors.ts';
import { decodeSegments, isForbiddenSegment } from '../../shared/packages/sources/path-segments.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';

const refusal = (): ApiError =>
  new ApiError(
    'PACKAGE_INVALID',
    'The path must be a package, a version and a file, such as tools/formatter/1.0.0/formatter.zip; no part may be empty, "." or "..", begin or end with a blank, or contain slashes, backslashes, or control, direction and zero-width characters.',
  );

/** A key of the table holds the name, and another one version and file together; escaping may triple them. */
const keyBytesMax = 900;

const fitsKey = (text: string): boolean => Buffer.byteLength(text.replaceAll(/[%#]/g, '%25')) <= keyBytesMax;

/** Whether a package can have this name. */
export const isPackageName = (name: string): boolean => !name.split('/').some(isForbiddenSegment) && fitsKey(name);

/** The address of a file, from its parts. */
export const fileAddress = (segments: readonly string[], version: string, file: string): FileAddress => {
  const name = segments.join('/');
  const parts = [...segments, version, file];
  // An encoded slash would make two paths of one package.
  if (segments.length === 0 || parts.some((part) => isForbiddenSegment(part) || part.includes('/'))) throw refusal();
  if (!fitsKey(name) || !fitsKey(version + file))
    throw new ApiError(
      'PACKAGE_INVALID',
      `The name of the package must have at most ${keyBytesMax} bytes, and version and file together as many.`,
    );
  return { name, version, file };
};

/** The address of a file: the last two segments of the path are version and file, the package is what stands before. */
export const fileAddressOf = (rawPath: string): FileAddress => {
  const segments = decodeSegments(rawPath);
  if (!segments) throw refusal();
  const [version = '', file = ''] = segments.slice(-2);
  return fileAddress(segments.slice(0, -2), version, file);
};
