import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { removeTag } from '../../shared/packages/changes/version-changes.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { deleteDistTag } from './contracts.ts';
import { packageTarget } from './package-target.ts';

export const handler = endpoint(
  deleteDistTag,
  async (call) => {
    const { path, target, ref } = packageTarget(call, '-/package/', ['dist-tag']);
    if (path.tag === 'latest')
      throw new ApiError('PACKAGE_INVALID', "The dist-tag 'latest' cannot be removed: point it at another version.");
    const { name, tag } = path;
    await changeInTarget(call, { target, name }, async () => removeTag(call.table, target, ref, tag));
    return { ok: true };
  },
  { alsoRead: alsoReadSources },
);
