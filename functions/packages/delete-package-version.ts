import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteVersion, deleteVersions } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { partMarkOf } from '../../shared/packages/sources/type-facts.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deletePackageVersion } from './contracts.ts';
import { requirePossible, spelledName } from './holders.ts';

export const handler = endpoint(
  deletePackageVersion,
  async ({ params, repository, loaded, table }) => {
    const target = deletionTargetOf(repository, loaded);
    const name = spelledName(repository, params.package);
    requirePossible(params.version, 'VERSION_NOT_FOUND');
    const { version } = params;
    const mark = partMarkOf(target.packageType);
    await changeInTarget({ repository, loaded, table }, { target, name, version }, async () =>
      mark === undefined
        ? deleteVersion(table, target, name, version)
        : deleteVersions(table, target, name, (each) => each === version || each.startsWith(version + mark)),
    );
    return { packageName: params.package, version, status: 'deleted' as const };
  },
  { alsoRead: alsoReadSources },
);
