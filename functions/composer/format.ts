import { ApiError } from '../../shared/errors.ts';
import { passedBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { requireOneFile } from '../../shared/packages/formats/one-file.ts';
import { type PackageFormat, refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { readmeInZip } from '../../shared/packages/formats/zipped-readme.ts';
import { type ReceivedFile, readWhole } from '../../shared/store/received-file.ts';
import { readManifest } from './archive.ts';
import { partsOf } from './index-entries.ts';
import { checkManifest, keyOf } from './manifest.ts';
import { publishedFile } from './paths.ts';

/** The file with its SHA-1, unless nobody has computed that and the file is too large to read. */
const withSha1 = async (zip: ReceivedFile): Promise<ReceivedFile> =>
  zip.hashes.sha1 !== undefined || zip.size > passedBytesMax
    ? zip
    : (await readWhole(zip, async () => undefined)).received;

/** Makes a version of a zip with a composer.json. `version` is what a request says of it. Throws BODY_MALFORMED and PACKAGE_INVALID. */
export const packageContent = async (zip: ReceivedFile, version: string | undefined): Promise<VersionContent> =>
  refusingAsync(async () => {
    const manifest = checkManifest(await readManifest(zip), version, new Date());
    const received = await withSha1(zip);
    const [name, key] = [manifest.name, keyOf(manifest)];
    return {
      name,
      displayName: name,
      version: key,
      files: [{ name: publishedFile(name, key), mediaType: fileMediaType, received }],
      parts: partsOf(manifest, received.hashes),
    };
  });

/** A zip with a composer.json. A version that this does not say comes with the form. */
export const composerFormat: PackageFormat = {
  readme: [{ file: /\.zip$/, read: readmeInZip('zip', /^(?:[^/]+\/)?$/, 'composer.json') }],
  check: ({ packageName, files }) => {
    refuseVersion({ packageName, files });
    requireOneFile(files, {
      of: 'a package for Composer',
      ending: '.zip',
      make: 'make it with composer archive',
    });
  },
  read: async ({ packageVersion }, [file]) => {
    if (!file) throw new ApiError('PACKAGE_INVALID');
    return packageContent(file.received, packageVersion);
  },
};
