import { endpoint } from '../../shared/http/endpoint.ts';
import { openUploadBytes } from '../../shared/table/packages/open-uploads.ts';
import { readUsageAndEntries } from '../../shared/table/packages/usage.ts';
import { getWorkspaceUsage } from './contracts.ts';
import { usageRecord } from './records.ts';

export const handler = endpoint(getWorkspaceUsage, async ({ workspace: { workspaceId }, table }) => {
  const [usage, openBytes] = await Promise.all([
    readUsageAndEntries(table, workspaceId),
    openUploadBytes(table, workspaceId),
  ]);
  return { ...usageRecord([usage]), openUploadBytes: openBytes };
});
