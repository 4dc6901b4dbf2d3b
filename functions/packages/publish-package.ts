import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { checkAnnouncement } from '../../shared/packages/formats/package-format.ts';
import { versionIdOf } from '../../shared/packages/sources/identifiers.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { receiveFile } from '../../shared/store/received-file.ts';
import { versionKey } from '../../shared/table/packages/package-keys.ts';
import { isLive } from '../../shared/table/packages/packages.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { formatOf } from '../package-formats.ts';
import { publishPackage } from './contracts.ts';
import { publishedFiles } from './published-files.ts';
import { filesMax } from './upload-limits.ts';

type PublishCall = Call<typeof publishPackage>;

/** Reads the files of the form, and the version that they make. */
const readVersion = async ({ body, repository, loaded, table }: PublishCall) => {
  const { definition, format } = await formatOf(repository.packageType);
  const target = uploadTargetOf(repository, loaded);
  const { fields, files } = await body.read(async ({ fileName, stream }) => ({
    name: fileName,
    received: await receiveFile(stream, table.signal),
  }));
  if (files.length > filesMax)
    throw new ApiError('PACKAGE_INVALID', `One request publishes at most ${filesMax} files of a version.`);
  const announcement = { ...fields, files: files.map(({ name, received: { size } }) => ({ name, size })) };
  checkAnnouncement(format, announcement);
  const content = await format.read(announcement, files);
  const ref = { contentId: contentIdOf(target), name: content.name };
  return { definition, target, content, ref, fileNames: files.map(({ name }) => name) };
};

export const handler = endpoint(
  publishPackage,
  async (call) => {
    const { remember } = call;
    const { definition, target, content, ref, fileNames } = await readVersion(call);
    const remembered = remember(versionIdOf(ref, content.version));
    await publishTo(call, definition, target, { remembered, ...content });
    return publishedFiles(call, { ...ref, version: content.version }, fileNames);
  },
  {
    alsoRead: alsoReadSources,
    answerAgain: async (call, id) => {
      const { content, ref, fileNames } = await readVersion(call);
      // The repository may have been emptied, or publish to another one.
      if (versionIdOf(ref, content.version) !== id) return undefined;
      const key = versionKey(ref, content.version);
      const version = (await call.table.read([key])).find(key);
      if (!isLive(version)) return undefined;
      return publishedFiles(call, { ...ref, version: content.version }, fileNames);
    },
  },
);
