import { ApiError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import type { Workspace } from '../table/identity/workspaces.ts';
import { openUploadBytes } from '../table/packages/open-uploads.ts';
import { readUsageAndEntries } from '../table/packages/usage.ts';

/** The limits of a workspace: bytes, and a number of packages. Null or absent means no limit. */
export type Quota = Pick<Workspace, 'storageLimit' | 'packageLimit'>;

/** What a request adds to what is stored. */
interface Added {
  readonly bytes: number;
  readonly packages: number;
  /** The upload that the bytes come from: they are counted once. */
  readonly uploadId?: string | undefined;
}

const exceeded = (limit: 'storage' | 'package', figures: string, alsoEnd = ''): ApiError =>
  new ApiError(
    'QUOTA_EXCEEDED',
    `This would exceed the ${limit} limit of the workspace: ${figures}. Delete packages or versions that nobody needs,${alsoEnd} or ask a System Admin for a higher limit.`,
  );

/**
 * Refuses with QUOTA_EXCEEDED what would exceed a limit of the workspace. Files, the texts in indexes and what was sent to open uploads
 * count. Parallel requests may together exceed it. Returns for how many bytes there is room before them.
 */
export const checkQuota = async (
  table: Table,
  { storageLimit, packageLimit }: Quota,
  workspaceId: string,
  { bytes, packages, uploadId }: Added,
): Promise<number> => {
  if (storageLimit == null && packageLimit == null) return Number.POSITIVE_INFINITY;
  const [usage, openBytes] = await Promise.all([
    readUsageAndEntries(table, workspaceId),
    storageLimit == null ? 0 : openUploadBytes(table, workspaceId, uploadId),
  ]);
  const used = usage.bytes + usage.entryBytes + openBytes;
  if (storageLimit != null && used + bytes > storageLimit)
    throw exceeded(
      'storage',
      `${used} of ${storageLimit} bytes are used, and ${bytes} more were sent. ${usage.bytes} of them are files, ${usage.entryBytes} metadata of versions, and ${openBytes} open uploads`,
      ' end upload sessions that nobody goes on with,',
    );
  if (packageLimit != null && usage.packages + packages > packageLimit)
    throw exceeded('package', `it has ${usage.packages} of ${packageLimit} packages`);
  return storageLimit == null ? Number.POSITIVE_INFINITY : storageLimit - used;
};
