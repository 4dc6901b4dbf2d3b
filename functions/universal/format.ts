import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { PackageFormat } from '../../shared/packages/formats/package-format.ts';
import { announcedVersion, refuseRepeatedNames } from '../../shared/packages/formats/package-format.ts';
import { fileAddress } from './path.ts';

/** Files under the name and the version that their publisher gives. Nobody looks into them. */
export const universalFormat: PackageFormat = {
  check: (announcement) => {
    const { name, version } = announcedVersion(announcement);
    for (const file of announcement.files) fileAddress(name.split('/'), version, file.name);
    refuseRepeatedNames(announcement);
  },
  read: async (announcement, files) => {
    const { name, version } = announcedVersion(announcement);
    return {
      name,
      displayName: name,
      version,
      files: files.map((file) => ({ ...file, mediaType: fileMediaType })),
    };
  },
};
