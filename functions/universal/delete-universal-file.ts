import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteFile } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deleteUniversalFile } from './contracts.ts';
import { fileAddressOf } from './path.ts';
import { universal } from './type.ts';

export const handler = endpoint(
  deleteUniversalFile,
  async ({ params, repository, loaded, table }) => {
    requireType(repository, universal);
    const address = fileAddressOf(params.path);
    const { name, version, file } = address;
    const target = deletionTargetOf(repository, loaded);
    await changeInTarget({ repository, loaded, table }, { target, name, version }, async () =>
      deleteFile(table, target, address),
    );
    return { package: name, version, file, status: 'deleted' as const };
  },
  { alsoRead: alsoReadSources },
);
