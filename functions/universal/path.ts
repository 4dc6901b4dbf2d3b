import { ApiError } from '../../shared/errors.ts';
import { decodeSegments } from '../../shared/packages/package-address.ts';
import type { FileAddress } from '../../shared/packages/resolution.ts';

/** The address of a file: the last two segments of the path are version and file, the package is what stands before. */
export const fileAddressOf = (rawPath: string): FileAddress => {
  const segments = decodeSegments(rawPath);
  // An encoded slash would make two paths of one package.
  if (!segments || segments.length < 3 || segments.some((segment) => segment.includes('/')))
    throw new ApiError(
      'PACKAGE_INVALID',
      'The path must be a package, a version and a file, such as tools/formatter/1.0.0/formatter.zip; no part may be empty, "." or "..", or hold control characters, slashes or backslashes.',
    );
  const name = segments.slice(0, -2).join('/');
  const [version = '', file = ''] = segments.slice(-2);
  return { name, version, file };
};
