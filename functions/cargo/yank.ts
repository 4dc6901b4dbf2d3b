import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { changeVersion } from '../../shared/packages/changes/version-changes.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import type { Table } from '../../shared/table/client.ts';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { contentIdOf, type Repository } from '../../shared/table/repositories/repositories.ts';
import { crateFileOf, type VersionParams } from './files.ts';
import { isYankedIn, withYanked } from './index-lines.ts';
import { cargo } from './type.ts';

interface YankCall {
  readonly params: VersionParams;
  readonly repository: Repository;
  readonly workspace: Workspace;
  readonly loaded: IdentityMap;
  readonly table: Table;
}

/** Yanks the version in a path, or takes that back. */
export const setYanked = async (call: YankCall, isYanked: boolean): Promise<{ readonly ok: true }> => {
  const { params, repository, workspace, loaded, table } = call;
  requireType(repository, cargo);
  const { name, version } = crateFileOf(params);
  const target = uploadTargetOf(repository, loaded);
  await changeInTarget(call, { target, name, version }, async () =>
    changeVersion(
      table,
      { repository: target, quota: workspace, ref: { contentId: contentIdOf(target), name }, version },
      (parts) => withYanked(parts, isYanked),
      (parts) => ({ yanked: isYankedIn(parts) }),
    ),
  );
  return { ok: true };
};
