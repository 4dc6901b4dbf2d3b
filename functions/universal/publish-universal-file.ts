import type { Call } from '../../shared/http/call.ts';
import type { ResultOf } from '../../shared/http/contract.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { rememberedFile, rememberedIdOf } from '../../shared/packages/changes/file-idempotency.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { publishUniversalFile } from './contracts.ts';
import { fileAddressOf } from './path.ts';
import { compareChecksums, sentChecksums } from './sent-checksums.ts';
import { universal } from './type.ts';

type PublishCall = Call<typeof publishUniversalFile>;

/** The target of a request, and the file that its path names. */
const destinationOf = (call: PublishCall) => {
  const target = publishTarget(call, universal);
  return { target, address: fileAddressOf(call.params.path) };
};

const record = (
  { name, version, file }: FileAddress,
  sizeInBytes: number,
  sha256: string,
): ResultOf<typeof publishUniversalFile> => ({ package: name, version, file, sizeInBytes, sha256 });

export const handler = endpoint(
  publishUniversalFile,
  async (call) => {
    const { body, table, remember, header } = call;
    const { address, target } = destinationOf(call);
    const { name, version, file } = address;
    const checksums = sentChecksums(header);
    const received = await receiveBody(body, table.signal);
    compareChecksums(checksums, received.hashes);
    await publishTo(call, universal, target, {
      name,
      displayName: name,
      version,
      files: [{ name: file, mediaType: fileMediaType, received }],
      remembered: remember(rememberedIdOf(target, address)),
    });
    return record(address, received.size, received.hashes.sha256);
  },
  {
    alsoRead: alsoReadSources,
    answerAgain: async (call, id) => {
      const { address, target } = destinationOf(call);
      const file = await rememberedFile(call.table, target, address, id);
      if (!file) return undefined;
      // Its bytes are those of this request.
      compareChecksums(sentChecksums(call.header), { ...file, sha256: file.blob.sha256 });
      return record(address, file.size, file.blob.sha256);
    },
  },
);
