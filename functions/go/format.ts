import { ApiError } from '../../shared/errors.ts';
import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import { requireOneFile } from '../../shared/packages/formats/one-file.ts';
import type { Announcement, NamedFile, PackageFormat } from '../../shared/packages/formats/package-format.ts';
import { refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { readmeInZip } from '../../shared/packages/formats/zipped-readme.ts';
import { fileInMemory, type ReceivedFile } from '../../shared/store/received-file.ts';
import { mediaTypes } from './media-types.ts';
import { readModuleZip, zipBytesMax } from './module-zip.ts';
import { fileName } from './paths.ts';

/** Makes a version of a module zip: its files are the zip and the go.mod in it. */
export const moduleContent = async (zip: ReceivedFile): Promise<VersionContent> => {
  const { name, version, goMod } = await readModuleZip(zip);
  return {
    name,
    displayName: name,
    version,
    files: [
      { name: fileName(version, 'zip'), mediaType: mediaTypes.zip, received: zip },
      { name: fileName(version, 'mod'), mediaType: mediaTypes.mod, received: fileInMemory(goMod) },
    ],
    // Lists show nothing of a version but the version.
    parts: [],
  };
};

/** A module zip. The paths in it say the module and the version. */
export const goFormat: PackageFormat = {
  readme: [{ file: /\.zip$/, read: readmeInZip('module zip', /^[^@]+@[^/]+\/$/) }],
  check: (announcement: Announcement): void => {
    refuseVersion(announcement);
    requireOneFile(announcement.files, {
      of: 'a Go module',
      ending: '.zip',
      make: "make it with git archive --prefix=<module>@<version>/ and zip -qd '*/'",
      bytesMax: zipBytesMax,
    });
  },
  read: async (_announcement: Announcement, [file]: readonly NamedFile[]): Promise<VersionContent> => {
    if (!file) throw new ApiError('PACKAGE_INVALID');
    return moduleContent(file.received);
  },
};
