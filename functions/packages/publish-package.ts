import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/package-address.ts';
import { publisherOf } from '../../shared/packages/publisher.ts';
import { publish } from '../../shared/packages/publishing.ts';
import { uploadTargetOf } from '../../shared/packages/upload-target.ts';
import { receiveFile } from '../../shared/store/receiving.ts';
import { formatOf } from '../package-formats.ts';
import { publishPackage } from './contracts.ts';
import { publishedFiles } from './published-files.ts';
import { filesMax } from './upload-schemas.ts';

export const handler = endpoint(
  publishPackage,
  async ({ body, baseUrl, caller, workspace, repository, loaded, table }) => {
    const format = formatOf(repository.packageType);
    const target = uploadTargetOf(repository, loaded);
    const { fields, files } = await body.read(async ({ fileName, stream }) => ({
      name: fileName,
      received: await receiveFile(stream, table.signal),
    }));
    if (files.length > filesMax)
      throw new ApiError('PACKAGE_INVALID', `One request publishes at most ${filesMax} files of a version.`);
    const announcement = { ...fields, files: files.map(({ name, received: { size } }) => ({ name, size })) };
    format.check(announcement);
    const content = await format.read(announcement, files);
    const origin = { kind: 'published', by: publisherOf(caller) } as const;
    const { ref } = await publish(table, { repository: target, quota: workspace, origin, ...content });
    const names = files.map(({ name }) => name);
    return publishedFiles({ baseUrl, repository }, { ...ref, version: content.version }, names);
  },
  { alsoRead: alsoReadSources },
);
