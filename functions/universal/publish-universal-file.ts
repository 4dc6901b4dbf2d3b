import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources, demandType } from '../../shared/packages/package-address.ts';
import { fileMediaType } from '../../shared/packages/publication.ts';
import { publisherOf } from '../../shared/packages/publisher.ts';
import { publish } from '../../shared/packages/publishing.ts';
import { uploadTargetOf } from '../../shared/packages/upload-target.ts';
import { receiveBody } from '../../shared/store/receiving.ts';
import { publishUniversalFile } from './contracts.ts';
import { fileAddressOf } from './path.ts';

export const handler = endpoint(
  publishUniversalFile,
  async ({ params, body, caller, workspace, repository, loaded, table }) => {
    demandType(repository, 'universal');
    const { name, version, file } = fileAddressOf(params.path);
    const target = uploadTargetOf(repository, loaded);
    const received = await receiveBody(body, table.signal);
    await publish(table, {
      repository: target,
      quota: workspace,
      name,
      displayName: name,
      version,
      files: [{ name: file, mediaType: fileMediaType, received }],
      origin: { kind: 'published', by: publisherOf(caller) },
      isOpen: true,
    });
    return { package: name, version, file, sizeInBytes: received.size, sha256: received.hashes.sha256 };
  },
  { alsoRead: alsoReadSources },
);
