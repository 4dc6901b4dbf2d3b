import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { requireSize } from '../../shared/packages/index/entry-bounds.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { partsOf } from './index-entries.ts';
import { readMetadata } from './metadata.ts';
import { type DebianPlace, fileNameOf } from './names.ts';
import { poolPath, versionKey } from './paths.ts';
import { stanzaOf } from './stanzas.ts';

/** Clients fetch all metadata of all packages. */
const stanzaBytesMax = 256_000;

/** A version, and the name of its one file. */
type DebianContent = VersionContent & { readonly file: string };

/** Where a publisher wants a package, and for which architecture, if it says so. */
export type WantedPlace = DebianPlace & { readonly architecture?: string | undefined };

/** Whether only sources name an architecture so, as in `source`, `any` and `linux-any`: no machine asks for the list of one. */
const isOfSources = (architecture: string): boolean =>
  architecture === 'source' || architecture.split('-').includes('any');

/** Makes a version of a package file. It reads the metadata alone. Throws BODY_MALFORMED and PACKAGE_INVALID. */
export const debianContent = async (wanted: WantedPlace, received: ReceivedFile): Promise<DebianContent> =>
  refusingAsync(async () => {
    const { fields, ...build } = await readMetadata(received);
    const { size, hashes } = received;
    const { sha256 } = hashes;
    const { name, version, architecture } = build;
    if (wanted.architecture !== undefined && architecture !== 'all' && wanted.architecture !== architecture)
      throw malformed(
        `The package is for the architecture ${architecture}, and not for ${wanted.architecture}, which the path names: leave it out of the path.`,
      );
    if (isOfSources(architecture))
      throw malformed(
        `The package has the Architecture ${architecture}, which only sources have: build it for one, such as amd64 or arm64, or for all.`,
      );
    const stanza = stanzaOf(fields, { path: poolPath(wanted, build), size, sha256 });
    requireSize('The metadata of the package', stanza, stanzaBytesMax);
    const file = fileNameOf(build);
    return {
      name,
      displayName: name,
      version: versionKey(wanted, build),
      file,
      files: [{ name: file, mediaType: fileMediaType, received }],
      parts: partsOf({ version, sha256, stanza }),
    };
  });
