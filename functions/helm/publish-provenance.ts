import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { publish } from '../../shared/packages/changes/publish.ts';
import { publisherOf } from '../../shared/packages/changes/publisher.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { refusalOf } from '../../shared/packages/formats/format-refusals.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import type { Table } from '../../shared/table/client.ts';
import { fileKey } from '../../shared/table/packages/package-keys.ts';
import { isLive } from '../../shared/table/packages/packages.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { publishProvenance } from './contracts.ts';
import { receiveFormFiles } from './form-files.ts';
import { chartFile, provenanceFile } from './paths.ts';
import { checkProvenance, type Provenance, readProvenance } from './provenance.ts';

const read = async (signature: ReceivedFile): Promise<Provenance> => {
  try {
    return await readProvenance(signature);
  } catch (error) {
    throw refusalOf(error);
  }
};

/** Refuses a provenance file if there is no such chart, or if the chart has other bytes. The bytes of a version never change. */
const requireChart = async (table: Table, target: LocalRepository, provenance: Provenance): Promise<void> => {
  const { name, version } = provenance;
  const key = fileKey({ contentId: contentIdOf(target), name }, version, chartFile(name, version));
  const chart = (await table.read([key])).find(key);
  if (!isLive(chart))
    throw new ApiError('VERSION_NOT_FOUND', `There is no chart ${name} ${version}: publish the chart first.`);
  try {
    checkProvenance(provenance, { name, version, sha256: chart.blob.sha256 });
  } catch (error) {
    throw refusalOf(error);
  }
};

export const handler = endpoint(
  publishProvenance,
  async (call) => {
    const { body, caller, workspace, repository, loaded, table } = call;
    requireType(repository, 'helm');
    const target = uploadTargetOf(repository, loaded);
    const { required: received } = await receiveFormFiles(body, table, 'prov');
    const provenance = await read(received);
    const { name, version } = provenance;
    await changeInTarget(call, { target, name, version }, async () => {
      await requireChart(table, target, provenance);
      await publish(table, {
        repository: target,
        quota: workspace,
        name,
        displayName: name,
        version,
        files: [{ name: provenanceFile(name, version), mediaType: fileMediaType, received }],
        indexedIn: 'repository',
        origin: { kind: 'published', by: publisherOf(caller) },
        isOpen: true,
        isAddition: true,
      });
    });
    return { saved: true };
  },
  { alsoRead: alsoReadSources },
);
