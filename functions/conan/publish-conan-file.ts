import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { publishConanFile } from './contracts.ts';
import { fileAddressIn } from './paths.ts';
import { publishRevisionFile, requireRecipe } from './publication.ts';
import { addedBy, checkSha1 } from './received-files.ts';
import { conan } from './type.ts';

export const handler = endpoint(
  publishConanFile,
  async (call) => {
    const { body, table, params, header } = call;
    const target = publishTarget(call, conan);
    const path = fileAddressIn(params);
    if (!path)
      throw new ApiError(
        'PACKAGE_INVALID',
        'Only files of revisions are published: …/revisions/{revision}/files/{file}.',
      );
    await requireRecipe(table, target, path.reference);
    const received = await receiveBody(body, table.signal);
    checkSha1(header('x-checksum-sha1'), path, received);
    const added = await addedBy(path, received);
    const outcome = await publishRevisionFile(call, target, { reference: path.reference, added, received });
    const { name, version, file } = path;
    return {
      status: outcome === 'same' ? (200 as const) : (201 as const),
      result: { package: name, version, file, sizeInBytes: received.size, sha256: received.hashes.sha256 },
    };
  },
  { alsoRead: alsoReadSources },
);
