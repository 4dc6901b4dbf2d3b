import { ApiError } from '../../shared/errors.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { refusing, refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import type { PackageFormat } from '../../shared/packages/formats/package-format.ts';
import { refuseRepeatedNames, refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { archiveBytesMax } from '../../shared/packages/formats/tar-archive.ts';
import { kindOf, readWheel } from './distribution.ts';
import { pypiReadme } from './readme.ts';
import { readSdist } from './sdist.ts';
import { versionContent } from './version-content.ts';

/** Wheels and source distributions of one version. Name and version come from the metadata in them. */
export const pypiFormat: PackageFormat = {
  readme: pypiReadme,
  check: (announcement) => {
    refuseVersion(announcement);
    refuseRepeatedNames(announcement);
    refusing(() => {
      for (const { name, size } of announcement.files) {
        if (kindOf(name) === 'sdist' && size > archiveBytesMax)
          throw malformed(`A source distribution must have at most ${archiveBytesMax} bytes.`);
      }
    });
  },
  read: async (_announcement, files) =>
    refusingAsync(async () => {
      const [first, ...others] = await Promise.all(
        files.map(async (file) => (kindOf(file.name) === 'wheel' ? readWheel(file) : readSdist(file))),
      );
      if (!first) throw new ApiError('PACKAGE_INVALID');
      return versionContent(first, ...others);
    }),
};
