import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { requireSize } from '../../shared/packages/index/entry-bounds.ts';
import { fileInMemory, type ReceivedFile, readWhole } from '../../shared/store/received-file.ts';
import { readGem } from './archive.ts';
import { fullNameOf, gemFile, gemspecFile, versionKey } from './full-names.ts';
import { dumpGemspec } from './gemspec-dump.ts';
import { infoText } from './info-lines.ts';
import { packageNameOf } from './names.ts';

/** A document has the lines of all versions. */
const lineBytesMax = 64_000;

/** Makes a version of a gem: its name, version and platform are those in its metadata. Throws BODY_MALFORMED and PACKAGE_INVALID. */
export const gemContent = async (gem: ReceivedFile): Promise<VersionContent> =>
  refusingAsync(async () => {
    const { content: spec, received } = await readWhole(gem, readGem);
    const [name, fullName] = [packageNameOf(spec.name), fullNameOf(spec)];
    const line = infoText(spec, received.hashes.sha256);
    requireSize('The list of dependencies of the gem', line, lineBytesMax);
    const parts = [spec.name, line];
    return {
      name,
      displayName: spec.name,
      version: versionKey(spec),
      files: [
        { name: gemFile(fullName), mediaType: fileMediaType, received },
        { name: gemspecFile(fullName), mediaType: fileMediaType, received: fileInMemory(dumpGemspec(spec)) },
      ],
      parts,
      // The documents about all gems are made from the same lines.
      alsoListed: [{ index: 'repository', parts }],
    };
  });
