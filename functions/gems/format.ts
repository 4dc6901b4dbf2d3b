import { ApiError } from '../../shared/errors.ts';
import { type PackageFormat, refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { gemContent } from './gem-content.ts';
import { readmeInGem } from './readme.ts';

/** A gem, as `gem build` makes it. */
export const gemsFormat: PackageFormat = {
  readme: [{ file: /\.gem$/, read: readmeInGem }],
  check: (announcement) => {
    refuseVersion(announcement);
    const [file, ...others] = announcement.files;
    if (!file?.name.endsWith('.gem') || others.length > 0)
      throw new ApiError(
        'PACKAGE_INVALID',
        'A version of a gem is one file that ends in .gem: make it with gem build.',
      );
  },
  read: async (_announcement, [file]) => {
    if (!file) throw new ApiError('PACKAGE_INVALID');
    return gemContent(file.received);
  },
};
