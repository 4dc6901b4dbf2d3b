import { ApiError } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import type { Workspace } from '../../table/identity/workspaces.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import { contentIdOf, type Repository } from '../../table/repositories/repositories.ts';
import { changeInTarget } from '../changes/target-changes.ts';
import { changeVersion } from '../changes/version-changes.ts';
import type { AddressedType } from '../sources/addressed-type.ts';
import { publishTarget } from '../sources/upload-target.ts';
import { isPackageId } from './ids.ts';
import { entryOf, withListed } from './package-entries.ts';
import { packageFile } from './package-files.ts';
import { normalVersion } from './versions.ts';

interface ListingCall {
  readonly params: { readonly package: string; readonly version: string };
  readonly repository: Repository;
  readonly workspace: Workspace;
  readonly loaded: IdentityMap;
  readonly table: Table;
}

/** Lists the version in a path, or takes it from what searches show. Throws VERSION_NOT_FOUND and as `changeVersion`. */
export const setListed = async (call: ListingCall, type: AddressedType, isListed: boolean): Promise<void> => {
  const { params, repository, workspace, loaded, table } = call;
  const target = publishTarget({ repository, loaded }, type);
  if (!isPackageId(params.package) || normalVersion(params.version) === undefined)
    throw new ApiError('VERSION_NOT_FOUND');
  const { name, version } = packageFile(params.package, params.version);
  await changeInTarget(call, { target, name, version }, async () =>
    changeVersion(
      table,
      { repository: target, quota: workspace, ref: { contentId: contentIdOf(target), name }, version },
      (parts) => withListed(parts, isListed),
      (parts) => ({ listed: entryOf(parts).listed }),
    ),
  );
};
