import { ApiError } from '../../shared/errors.ts';
import { requireOneFile } from '../../shared/packages/formats/one-file.ts';
import { type PackageFormat, refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { rpmContent } from './rpm-content.ts';

/** A package, as rpmbuild makes it. It goes to the root of the repository. */
export const rpmFormat: PackageFormat = {
  check: (announcement) => {
    refuseVersion(announcement);
    requireOneFile(announcement.files, {
      of: 'a package',
      ending: '.rpm',
      make: 'make it with rpmbuild, and send each architecture on its own',
    });
  },
  read: async (_announcement, [file]) => {
    if (!file) throw new ApiError('PACKAGE_INVALID');
    const { file: _, ...content } = await rpmContent('', file.received);
    return content;
  },
};
