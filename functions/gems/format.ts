import { ApiError } from '../../shared/errors.ts';
import { requireOneFile } from '../../shared/packages/formats/one-file.ts';
import { type PackageFormat, refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { gemContent } from './gem-content.ts';
import { readmeInGem } from './readme.ts';

/** A gem, as `gem build` makes it. */
export const gemsFormat: PackageFormat = {
  readme: [{ file: /\.gem$/, read: readmeInGem }],
  check: (announcement) => {
    refuseVersion(announcement);
    requireOneFile(announcement.files, {
      of: 'a gem',
      ending: '.gem',
      make: 'make it with gem build',
    });
  },
  read: async (_announcement, [file]) => {
    if (!file) throw new ApiError('PACKAGE_INVALID');
    return gemContent(file.received);
  },
};
