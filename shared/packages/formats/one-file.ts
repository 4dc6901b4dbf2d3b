import { ApiError } from '../../errors.ts';
import type { Announcement } from './package-format.ts';

/** The one file that a version of a type is, in the words of the refusal of anything else. */
interface OneFile {
  readonly of: string;
  readonly ending: string;
  readonly make: string;
  readonly bytesMax?: number;
}

/** Refuses all but one file with the ending, which is not too large. */
export const requireOneFile = (
  [file, ...others]: Announcement['files'],
  { of, ending, make, bytesMax = Number.POSITIVE_INFINITY }: OneFile,
): void => {
  if (!file?.name.endsWith(ending) || others.length > 0)
    throw new ApiError('PACKAGE_INVALID', `A version of ${of} is one file that ends in ${ending}: ${make}.`);
  if (file.size > bytesMax)
    throw new ApiError('PACKAGE_INVALID', `The ${ending} file must have at most ${bytesMax} bytes.`);
};
