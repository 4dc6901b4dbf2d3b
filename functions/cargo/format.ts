import { ApiError } from '../../shared/errors.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { requireOneFile } from '../../shared/packages/formats/one-file.ts';
import type { PackageFormat } from '../../shared/packages/formats/package-format.ts';
import { refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { readmeInTar } from '../../shared/packages/formats/readme.ts';
import { archiveBytesMax } from '../../shared/packages/formats/tar-archive.ts';
import { readWhole } from '../../shared/store/received-file.ts';
import { readCrate } from './crate-archive.ts';
import { metadataOf, requireSame } from './manifest.ts';
import { crateVersion } from './publication.ts';

/** A crate from `cargo package`. All that an index says of it comes from its Cargo.toml. */
export const cargoFormat: PackageFormat = {
  readme: [{ file: /\.crate$/, read: readmeInTar('crate') }],
  check: (announcement) => {
    refuseVersion(announcement);
    requireOneFile(announcement.files, {
      of: 'a crate',
      ending: '.crate',
      make: 'make it with cargo package',
      bytesMax: archiveBytesMax,
    });
  },
  read: async (_announcement, [file]) => {
    if (!file) throw new ApiError('PACKAGE_INVALID');
    return refusingAsync(async () => {
      const { content, received } = await readWhole(file.received, readCrate);
      const metadata = metadataOf(content.manifest);
      const version = crateVersion(metadata, received);
      requireSame(metadata, content);
      return version;
    });
  },
};
