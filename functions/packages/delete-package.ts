import { endpoint } from '../../shared/http/endpoint.ts';
import { deletePackage as deleteAll } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deletePackage } from './contracts.ts';
import { requirePossible } from './holders.ts';

export const handler = endpoint(
  deletePackage,
  async ({ params, repository, loaded, table }) => {
    const target = deletionTargetOf(repository, loaded);
    requirePossible(params.package, 'PACKAGE_NOT_FOUND');
    await changeInTarget({ repository, loaded, table }, { target, name: params.package }, async () =>
      deleteAll(table, target, params.package),
    );
    return { packageName: params.package, status: 'deleted' as const };
  },
  { alsoRead: alsoReadSources },
);
