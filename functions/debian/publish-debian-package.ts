import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { rememberedFile, rememberedIdOf } from '../../shared/packages/changes/file-idempotency.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { acceptChanges } from './changes-files.ts';
import { publishDebianPackage } from './contracts.ts';
import { debianContent } from './debian-content.ts';
import { publishedPath } from './published-paths.ts';
import { debian } from './type.ts';

type PublishCall = Call<typeof publishDebianPackage>;

/** The target of a request, and the file in its body. */
const received = async (call: PublishCall) => {
  const target = publishTarget(call, debian);
  const path = publishedPath(call.params.path);
  return { target, path, body: await receiveBody(call.body, call.table.signal) };
};

/** The package that was received, and the answer to it. */
const contentOf = async ({ path, body }: Awaited<ReturnType<typeof received>>) => {
  const { file, ...content } = await debianContent(path, body);
  const { name, version } = content;
  const answer = { package: name, version, file, sizeInBytes: body.size, sha256: body.hashes.sha256 };
  return { content, address: { name, version, file }, answer };
};

export const handler = endpoint(
  publishDebianPackage,
  async (call) => {
    const request = await received(call);
    const { target, path, body } = request;
    if (/\.(?:changes|buildinfo)$/.test(path.file)) return acceptChanges(call.table, target, path, body);
    const { content, answer } = await contentOf(request);
    await publishTo(call, debian, target, { ...content, remembered: call.remember(rememberedIdOf(target, content)) });
    return answer;
  },
  {
    alsoRead: alsoReadSources,
    answerAgain: async (call, id) => {
      const request = await received(call);
      const { address } = await contentOf(request);
      const file = await rememberedFile(call.table, request.target, address, id);
      const { name, version } = address;
      return file && { package: name, version, file: file.file, sizeInBytes: file.size, sha256: file.blob.sha256 };
    },
  },
);
