import { Table } from '../../shared/table/client.ts';
import { repositoryCountKey, workspaceKey } from '../../shared/table/keys.ts';
import { workspaceOf } from '../../shared/table/workspaces.ts';

/** The number of repositories that a workspace counts, over all shares, as stored. */
export const storedRepositoryCount = async (workspaceId: string): Promise<number> => {
  const table = new Table();
  const key = workspaceKey(workspaceId);
  const workspace = workspaceOf((await table.read([key])).find(key));
  if (!workspace) throw new Error(`There is no workspace ${workspaceId}.`);
  const keys = Array.from({ length: workspace.countShares }, (_, shard) => repositoryCountKey(workspaceId, shard));
  const counts = await table.read(keys);
  return keys.reduce((sum, share) => sum + Number(counts.find(share)?.repositoryCount), 0);
};

/** The sort keys that a workspace has stored under a prefix, such as `REPOSITORY#`. */
export const storedKeys = async (workspaceId: string, prefix: string): Promise<string[]> => {
  const { items } = await new Table().query(workspaceKey(workspaceId).pk, prefix);
  return items.map((item) => item.sk);
};
