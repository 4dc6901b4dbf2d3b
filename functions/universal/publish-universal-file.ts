import type { Call } from '../../shared/http/call.ts';
import type { ResultOf } from '../../shared/http/contract.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { rememberedFile, rememberedIdOf } from '../../shared/packages/changes/file-idempotency.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { publish } from '../../shared/packages/changes/publish.ts';
import { publisherOf } from '../../shared/packages/changes/publisher.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { publishUniversalFile } from './contracts.ts';
import { fileAddressOf } from './path.ts';

type PublishCall = Call<typeof publishUniversalFile>;

/** The target of a request, and the file that its path names. */
const placeOf = ({ params, repository, loaded }: PublishCall) => {
  requireType(repository, 'universal');
  const address = fileAddressOf(params.path);
  return { address, target: uploadTargetOf(repository, loaded) };
};

const record = (
  { name, version, file }: FileAddress,
  sizeInBytes: number,
  sha256: string,
): ResultOf<typeof publishUniversalFile> => ({ package: name, version, file, sizeInBytes, sha256 });

export const handler = endpoint(
  publishUniversalFile,
  async (call) => {
    const { body, caller, workspace, table, remember } = call;
    const { address, target } = placeOf(call);
    const { name, version, file } = address;
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
      remembered: remember(rememberedIdOf(target, address)),
    });
    return record(address, received.size, received.hashes.sha256);
  },
  {
    alsoRead: alsoReadSources,
    answerAgain: async (call, id) => {
      const { address, target } = placeOf(call);
      const file = await rememberedFile(call.table, target, address, id);
      return file && record(address, file.size, file.blob.sha256);
    },
  },
);
