import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteVersion } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deletePackageVersion } from './contracts.ts';
import { requirePossible, spelledName } from './holders.ts';

export const handler = endpoint(
  deletePackageVersion,
  async ({ params, repository, loaded, table }) => {
    const target = deletionTargetOf(repository, loaded);
    const name = spelledName(repository, params.package);
    requirePossible(params.version, 'VERSION_NOT_FOUND');
    const changed = { target, name, version: params.version };
    await changeInTarget({ repository, loaded, table }, changed, async () =>
      deleteVersion(table, target, name, params.version),
    );
    return { packageName: params.package, version: params.version, status: 'deleted' as const };
  },
  { alsoRead: alsoReadSources },
);
