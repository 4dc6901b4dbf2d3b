import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { deletePackage, deleteVersion } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { deleteNpmPackage } from './contracts.ts';
import { packageTarget } from './package-target.ts';
import { tarballFile } from './paths.ts';

export const handler = endpoint(
  deleteNpmPackage,
  async (call) => {
    const { path, target, ref } = packageTarget(call, '', ['packument-revision', 'file-revision']);
    const { name } = path;
    if (path.kind === 'packument-revision')
      await changeInTarget(call, { target, name }, async () =>
        deletePackage(call.table, target, name, (revision) => `${ref.contentId}:${revision}` === path.revision),
      );
    else {
      const { version, file } = path;
      // A version may also have a provenance bundle, which cannot be deleted alone.
      if (file !== tarballFile(name, version))
        throw new ApiError('PACKAGE_INVALID', 'To unpublish a version, send the address of its tarball.');
      await changeInTarget(call, { target, name, version }, async () =>
        deleteVersion(call.table, target, name, version),
      );
    }
    return { ok: true };
  },
  { alsoRead: alsoReadSources },
);
