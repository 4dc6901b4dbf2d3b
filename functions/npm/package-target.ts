import { ApiError } from '../../shared/errors.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { PackageRef } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf, type LocalRepository, type Repository } from '../../shared/table/repositories/repositories.ts';
import { accountRefusal } from './account-routes.ts';
import { type NpmPath, parsePath } from './paths.ts';
import { npm } from './type.ts';

/** The package in a path, in the repository that receives publications to the repository in the address. */
export const packageTarget = <Kind extends NpmPath['kind']>(
  call: {
    readonly params: { readonly path: string };
    readonly repository: Repository;
    readonly loaded: IdentityMap;
  },
  prefix: string,
  kinds: readonly Kind[],
): { readonly path: Extract<NpmPath, { kind: Kind }>; readonly target: LocalRepository; readonly ref: PackageRef } => {
  requireType(call.repository, npm);
  const tail = prefix + call.params.path;
  const path = parsePath(tail);
  if (!('name' in path) || !(kinds as readonly string[]).includes(path.kind))
    throw (
      accountRefusal(tail) ??
      new ApiError(
        'PACKAGE_INVALID',
        'The path must name a valid npm package, such as left-pad or @acme/tool, in the form that npm sends.',
      )
    );
  const target = uploadTargetOf(call.repository, call.loaded);
  return {
    path: path as Extract<NpmPath, { kind: Kind }>,
    target,
    ref: { contentId: contentIdOf(target), name: path.name },
  };
};
