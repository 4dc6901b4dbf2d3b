import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { rememberedFile, rememberedIdOf } from '../../shared/packages/changes/file-idempotency.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { publishComposerPackage } from './contracts.ts';
import { packageContent } from './format.ts';
import { publishedFile } from './paths.ts';
import { composer } from './type.ts';

/** The target of a request, and the version in its body. */
const readRequest = async (call: Call<typeof publishComposerPackage>) => {
  const { body, query, table } = call;
  const target = publishTarget(call, composer);
  const received = await receiveBody(body, table.signal);
  return { target, received, content: await packageContent(received, query.version) };
};

export const handler = endpoint(
  publishComposerPackage,
  async (call) => {
    const { target, received, content } = await readRequest(call);
    await publishTo(call, composer, target, { ...content, remembered: call.remember(rememberedIdOf(target, content)) });
    const { name, version } = content;
    return { package: name, version, sizeInBytes: received.size, sha256: received.hashes.sha256 };
  },
  {
    alsoRead: alsoReadSources,
    answerAgain: async (call, id) => {
      const { target, content } = await readRequest(call);
      const { name, version } = content;
      const address = { name, version, file: publishedFile(name, version) };
      const file = await rememberedFile(call.table, target, address, id);
      return file && { package: name, version, sizeInBytes: file.size, sha256: file.blob.sha256 };
    },
  },
);
