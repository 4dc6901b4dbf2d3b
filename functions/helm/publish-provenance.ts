import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { refusing, refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import type { Table } from '../../shared/table/client.ts';
import { fileKey } from '../../shared/table/packages/package-keys.ts';
import { isLive } from '../../shared/table/packages/packages.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { publishProvenance } from './contracts.ts';
import { receiveFormFiles } from './form-files.ts';
import { chartFile, provenanceFile } from './paths.ts';
import { checkProvenance, type Provenance, readProvenance } from './provenance.ts';
import { helm } from './type.ts';

/** Refuses a provenance file if there is no such chart, or if the chart has other bytes. The bytes of a version never change. */
const requireChart = async (table: Table, target: LocalRepository, provenance: Provenance): Promise<void> => {
  const { name, version } = provenance;
  const key = fileKey({ contentId: contentIdOf(target), name }, version, chartFile(name, version));
  const chart = (await table.read([key])).find(key);
  if (!isLive(chart))
    throw new ApiError('VERSION_NOT_FOUND', `There is no chart ${name} ${version}: publish the chart first.`);
  refusing(() => checkProvenance(provenance, { name, version, sha256: chart.blob.sha256 }));
};

export const handler = endpoint(
  publishProvenance,
  async (call) => {
    const { body, table } = call;
    const target = publishTarget(call, helm);
    const { required: received } = await receiveFormFiles(body, table, 'prov');
    const provenance = await refusingAsync(async () => readProvenance(received));
    const { name, version } = provenance;
    await changeInTarget(call, { target, name, version }, async () => {
      await requireChart(table, target, provenance);
      await publishTo(call, helm, target, {
        name,
        displayName: name,
        version,
        files: [{ name: provenanceFile(name, version), mediaType: fileMediaType, received }],
        isOpen: true,
        isAddition: true,
      });
    });
    return { saved: true };
  },
  { alsoRead: alsoReadSources },
);
