import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { requireSize } from '../../shared/packages/index/entry-bounds.ts';
import { type ReceivedFile, readWhole } from '../../shared/store/received-file.ts';
import { readChart } from './archive.ts';
import type { Metadata } from './metadata.ts';
import { chartFile, chartPath, provenanceFile } from './paths.ts';
import { checkProvenance, readProvenance } from './provenance.ts';

/** The index has the metadata of all charts of a repository, and helm fetches it as a whole. */
const entryBytesMax = 64_000;

/** The text of a version in the index: its metadata, and where its file is. A relative address needs no rewriting. */
const entryText = (metadata: Metadata, sha256: string): string => {
  const text = JSON.stringify({
    ...metadata,
    urls: [chartPath(metadata.name, metadata.version)],
    created: new Date().toISOString(),
    digest: sha256,
  });
  requireSize('The Chart.yaml of the version', text, entryBytesMax);
  return text;
};

/** Makes a version of a chart and its provenance file, if there is one. Throws BODY_MALFORMED and PACKAGE_INVALID. */
export const chartContent = async (chart: ReceivedFile, signature?: ReceivedFile): Promise<VersionContent> =>
  refusingAsync(async () => {
    const { content: metadata, received } = await readWhole(chart, readChart);
    const { name, version } = metadata;
    const { sha256 } = received.hashes;
    if (signature) checkProvenance(await readProvenance(signature), { name, version, sha256 });
    return {
      name,
      displayName: name,
      version,
      files: [
        { name: chartFile(name, version), mediaType: fileMediaType, received },
        ...(signature ? [{ name: provenanceFile(name, version), mediaType: fileMediaType, received: signature }] : []),
      ],
      parts: [entryText(metadata, sha256)],
    };
  });
