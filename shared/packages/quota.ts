import { ApiError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { readUsage } from '../table/usage.ts';
import type { Workspace } from '../table/workspaces.ts';

/** The limits of a workspace: bytes, and a number of packages. Null or absent means no limit. */
export type Quota = Pick<Workspace, 'storageLimit' | 'packageLimit'>;

/** Refuses with QUOTA_EXCEEDED what would exceed a limit of the workspace. Parallel publications may together exceed it. */
export const checkQuota = async (
  table: Table,
  { storageLimit, packageLimit }: Quota,
  workspaceId: string,
  added: { readonly bytes: number; readonly packages: number },
): Promise<void> => {
  if (storageLimit == null && packageLimit == null) return;
  const usage = await readUsage(table, workspaceId);
  if (storageLimit != null && usage.bytes + added.bytes > storageLimit)
    throw new ApiError(
      'QUOTA_EXCEEDED',
      `This would exceed the storage limit of the workspace: ${usage.bytes} of ${storageLimit} bytes are used, and ${added.bytes} more were sent.`,
    );
  if (packageLimit != null && usage.packages + added.packages > packageLimit)
    throw new ApiError(
      'QUOTA_EXCEEDED',
      `This would exceed the package limit of the workspace: it has ${usage.packages} of ${packageLimit} packages.`,
    );
};
