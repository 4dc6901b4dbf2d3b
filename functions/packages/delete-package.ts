import { endpoint } from '../../shared/http/endpoint.ts';
import { deletePackage as deleteAll } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deletePackage } from './contracts.ts';
import { spelledName } from './holders.ts';

export const handler = endpoint(
  deletePackage,
  async ({ params, repository, loaded, table }) => {
    const target = deletionTargetOf(repository, loaded);
    const name = spelledName(repository, params.package);
    await changeInTarget({ repository, loaded, table }, { target, name }, async () => deleteAll(table, target, name));
    return { packageName: params.package, status: 'deleted' as const };
  },
  { alsoRead: alsoReadSources },
);
