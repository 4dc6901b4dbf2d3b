import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { rememberedFile, rememberedIdOf } from '../../shared/packages/changes/file-idempotency.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { publishGoModule } from './contracts.ts';
import { moduleContent } from './format.ts';
import { fileName, type GoPath, parsePath } from './paths.ts';
import { go } from './type.ts';

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

/** The target of a request, and the version that its path names. */
const destinationOf = (call: Call<typeof publishGoModule>) => {
  const target = publishTarget(call, go);
  const { name, version } = zipPath(call.params.path);
  return { name, version, target };
};

export const handler = endpoint(
  publishGoModule,
  async (call) => {
    const { body, table, remember } = call;
    const { name, version, target } = destinationOf(call);
    const received = await receiveBody(body, table.signal);
    const content = await moduleContent(received);
    if (content.name !== name || content.version !== version)
      throw new ApiError(
        'PACKAGE_INVALID',
        `The paths in the zip begin with ${content.name}@${content.version}/, but the address is that of ${name} ${version}.`,
      );
    await publishTo(call, go, target, {
      ...content,
      remembered: remember(rememberedIdOf(target, { name, version })),
    });
    return { module: name, version, sizeInBytes: received.size, sha256: received.hashes.sha256 };
  },
  {
    alsoRead: alsoReadSources,
    answerAgain: async (call, id) => {
      const { name, version, target } = destinationOf(call);
      const address = { name, version, file: fileName(version, 'zip') };
      const zip = await rememberedFile(call.table, target, address, id);
      return zip && { module: name, version, sizeInBytes: zip.size, sha256: zip.blob.sha256 };
    },
  },
);
