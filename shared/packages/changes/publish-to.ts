import type { Caller } from '../../http/caller.ts';
import type { Table } from '../../table/client.ts';
import type { Workspace } from '../../table/identity/workspaces.ts';
import type { LocalRepository } from '../../table/repositories/repositories.ts';
import type { PackagePublication } from './publication.ts';
import { publish } from './publish.ts';
import { publisherOf } from './publisher.ts';

/** The parts of a request that publishing needs: who publishes, and whose quota counts it. */
export interface PublishCall {
  readonly table: Table;
  readonly caller: Pick<Caller, 'actor'>;
  readonly workspace: Workspace;
}

/** What a request publishes. */
export type Publishing = Omit<PackagePublication, 'repository' | 'quota' | 'origin'>;

/** Publishes what the caller of a request sent, to the repository that takes it. Throws as `storePublication`. */
export const publishTo = async (
  { table, caller, workspace }: PublishCall,
  target: LocalRepository,
  content: Publishing,
): Promise<void> => {
  const origin = { kind: 'published', by: publisherOf(caller) } as const;
  await publish(table, { repository: target, quota: workspace, origin, ...content });
};
