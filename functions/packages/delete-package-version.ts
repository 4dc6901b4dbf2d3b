import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteVersion } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deletePackageVersion } from './contracts.ts';
import { requirePossible } from './holders.ts';

export const handler = endpoint(
  deletePackageVersion,
  async ({ params, repository, loaded, table }) => {
    const target = deletionTargetOf(repository, loaded);
    requirePossible(params.package, 'PACKAGE_NOT_FOUND');
    requirePossible(params.version, 'VERSION_NOT_FOUND');
    const changed = { target, name: params.package, version: params.version };
    await changeInTarget({ repository, loaded, table }, changed, async () =>
      deleteVersion(table, target, params.package, params.version),
    );
    return { packageName: params.package, version: params.version, status: 'deleted' as const };
  },
  { alsoRead: alsoReadSources },
);
