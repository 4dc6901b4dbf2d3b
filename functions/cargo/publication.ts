import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { crateFile } from './files.ts';
import { partsOf } from './index-lines.ts';
import type { CrateMetadata } from './metadata.ts';

/** A version of a crate as it is published. */
export const crateVersion = (metadata: CrateMetadata, received: ReceivedFile): VersionContent => {
  const { name: displayName, vers } = metadata;
  const { name, version, file } = crateFile(displayName, vers);
  return {
    name,
    displayName,
    version,
    files: [{ name: file, mediaType: fileMediaType, received }],
    parts: partsOf(metadata, received.hashes.sha256),
  };
};
