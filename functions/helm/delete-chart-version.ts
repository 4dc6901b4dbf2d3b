import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteVersion } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deleteChartVersion } from './contracts.ts';
import { hasFileNames, isChartName } from './paths.ts';
import { helm } from './type.ts';

export const handler = endpoint(
  deleteChartVersion,
  async (call) => {
    const { params, repository, loaded, table } = call;
    requireType(repository, helm);
    const { package: name, version } = params;
    const target = deletionTargetOf(repository, loaded);
    if (!isChartName(name)) throw new ApiError('PACKAGE_NOT_FOUND');
    if (!hasFileNames(name, version)) throw new ApiError('VERSION_NOT_FOUND');
    await changeInTarget(call, { target, name, version }, async () => deleteVersion(table, target, name, version));
    return { deleted: true };
  },
  { alsoRead: alsoReadSources },
);
