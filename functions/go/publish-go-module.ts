import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources, demandType } from '../../shared/packages/package-address.ts';
import { publisherOf } from '../../shared/packages/publisher.ts';
import { publish } from '../../shared/packages/publishing.ts';
import { uploadTargetOf } from '../../shared/packages/upload-target.ts';
import { receiveBody } from '../../shared/store/receiving.ts';
import { publishGoModule } from './contracts.ts';
import { moduleContent } from './format.ts';
import { type GoPath, parsePath } from './paths.ts';

const zipPath = (rawPath: string): Extract<GoPath, { kind: 'file' }> => {
  const path = parsePath(rawPath);
  if (path.kind === 'file' && path.fileKind === 'zip') return path;
  throw new ApiError(
    'PACKAGE_INVALID',
    path.kind === 'unknown'
      ? path.reason
      : 'The path must be a module, @v, and a canonical version with .zip, such as corp.example/module/@v/v1.0.0.zip.',
  );
};

export const handler = endpoint(
  publishGoModule,
  async ({ params, body, caller, workspace, repository, loaded, table }) => {
    demandType(repository, 'go');
    const { name, version } = zipPath(params.path);
    const target = uploadTargetOf(repository, loaded);
    const received = await receiveBody(body, table.signal);
    const content = await moduleContent(received);
    if (content.name !== name || content.version !== version)
      throw new ApiError(
        'PACKAGE_INVALID',
        `The paths in the zip begin with ${content.name}@${content.version}/, but the address is that of ${name} ${version}.`,
      );
    await publish(table, {
      ...content,
      repository: target,
      quota: workspace,
      origin: { kind: 'published', by: publisherOf(caller) },
    });
    return { module: name, version, sizeInBytes: received.size, sha256: received.hashes.sha256 };
  },
  { alsoRead: alsoReadSources },
);
