import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { requireSize } from '../../shared/packages/index/entry-bounds.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { partsOf } from './index-entries.ts';
import { readMetadata } from './metadata.ts';
import { packageTexts } from './package-xml.ts';
import { addressOf } from './paths.ts';

/** Clients fetch these lists of all packages, most of them that of the metadata alone. */
const [primaryBytesMax, listBytesMax] = [256_000, 1_000_000];

/** A version, and the name of its one file. */
type RpmContent = VersionContent & { readonly file: string };

/** Makes a version of a package file. It reads the headers alone. Throws BODY_MALFORMED and PACKAGE_INVALID. */
export const rpmContent = async (group: string, received: ReceivedFile): Promise<RpmContent> =>
  refusingAsync(async () => {
    const metadata = await readMetadata(received);
    const { sha256 } = received.hashes;
    const texts = packageTexts(metadata, sha256);
    requireSize('The metadata of the package', texts.primary, primaryBytesMax);
    requireSize('The list of the files of the package', texts.filelists, listBytesMax);
    requireSize('The changelog of the package', texts.other, listBytesMax);
    const { name, version, file } = addressOf(group, metadata);
    return {
      name,
      displayName: name,
      version,
      file,
      files: [{ name: file, mediaType: fileMediaType, received }],
      parts: partsOf({ ...metadata, ...texts, sha256 }),
    };
  });
