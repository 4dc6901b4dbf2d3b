import { ApiError } from '../../shared/errors.ts';
import { requireOneFile } from '../../shared/packages/formats/one-file.ts';
import { type Announcement, type PackageFormat, refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { debianContent } from './debian-content.ts';
import { type DebianPlace, isPlace, placeRule } from './names.ts';

/** The place that an announcement names. Throws PACKAGE_INVALID. */
const placeIn = ({ distribution = 'stable', component = 'main' }: Announcement): DebianPlace => {
  const place = { distribution, component };
  if (isPlace(place)) return place;
  throw new ApiError('PACKAGE_INVALID', `Send another distribution and component: ${placeRule}.`);
};

/** A package, as dpkg-deb makes it. It goes to the component `main` of the distribution `stable`, unless the fields name others. */
export const debianFormat: PackageFormat = {
  hasDistributions: true,
  check: (announcement) => {
    refuseVersion(announcement);
    placeIn(announcement);
    requireOneFile(announcement.files, {
      of: 'a package',
      ending: '.deb',
      make: 'make it with dpkg-deb, and send each architecture on its own',
    });
  },
  read: async (announcement, [file]) => {
    if (!file) throw new ApiError('PACKAGE_INVALID');
    const { file: _, ...content } = await debianContent(placeIn(announcement), file.received);
    return content;
  },
};
