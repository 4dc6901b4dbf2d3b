import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteVersion } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deleteDebianPackage } from './contracts.ts';
import { parsePath } from './paths.ts';
import { debian } from './type.ts';

export const handler = endpoint(
  deleteDebianPackage,
  async (call) => {
    const { params, repository, loaded, table } = call;
    requireType(repository, debian);
    const target = deletionTargetOf(repository, loaded);
    const path = parsePath(params.path);
    if (path.kind !== 'file')
      throw new ApiError(
        'FILE_NOT_FOUND',
        'The path is none of a package: it is pool/{distribution}/{component}/{name}_{version}_{architecture}.deb.',
      );
    const { name, version, file } = path;
    await changeInTarget(call, { target, name, version }, async () => deleteVersion(table, target, name, version));
    return { package: name, version, file, status: 'deleted' as const };
  },
  { alsoRead: alsoReadSources },
);
