import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { rememberedFile, rememberedIdOf } from '../../shared/packages/changes/file-idempotency.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { publishRpmPackage } from './contracts.ts';
import { publishedPath } from './paths.ts';
import { rpmContent } from './rpm-content.ts';
import { rpm } from './type.ts';

/** The target of a request, the package in its body, and the answer. */
const readRequest = async (call: Call<typeof publishRpmPackage>) => {
  const target = publishTarget(call, rpm);
  const path = publishedPath(call.params.path);
  if (!path)
    throw new ApiError(
      'FILE_NOT_FOUND',
      'The path of a package is a name that ends in .rpm, behind directories of letters, digits and . _ + ~ - with at most 100 characters together.',
    );
  const received = await receiveBody(call.body, call.table.signal);
  const { file, ...content } = await rpmContent(path.group, received);
  const { name, version } = content;
  const { size: sizeInBytes, hashes } = received;
  const answer = { package: name, version, file, sizeInBytes, sha256: hashes.sha256 };
  return { target, content, address: { name, version, file }, answer };
};

export const handler = endpoint(
  publishRpmPackage,
  async (call) => {
    const { target, content, answer } = await readRequest(call);
    await publishTo(call, rpm, target, { ...content, remembered: call.remember(rememberedIdOf(target, content)) });
    return answer;
  },
  {
    alsoRead: alsoReadSources,
    answerAgain: async (call, id) => {
      const { target, address } = await readRequest(call);
      const file = await rememberedFile(call.table, target, address, id);
      const { name, version } = address;
      return file && { package: name, version, file: file.file, sizeInBytes: file.size, sha256: file.blob.sha256 };
    },
  },
);
