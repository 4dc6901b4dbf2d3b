import { ApiError } from '../../shared/errors.ts';
import { decodeSegments } from '../../shared/packages/package-address.ts';
import type { FileAddress } from '../../shared/packages/resolution.ts';

/** Parses the path of a file: the package, which may have several segments, the version and the file. Throws PACKAGE_INVALID. */
export const fileAddressOf = (rawPath: string): FileAddress => {
  const segments = decodeSegments(rawPath);
  // With an encoded slash, different paths would name the same package.
  if (!segments || segments.length < 3 || segments.some((segment) => segment.includes('/')))
    throw new ApiError(
      'PACKAGE_INVALID',
      'The path must be a package, a version and a file, such as tools/formatter/1.0.0/formatter.zip; no part may be empty, "." or "..", or contain control characters, slashes or backslashes.',
    );
  const name = segments.slice(0, -2).join('/');
  const [version = '', file = ''] = segments.slice(-2);
  return { name, version, file };
};
