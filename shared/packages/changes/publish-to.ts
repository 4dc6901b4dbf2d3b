import type { Caller } from '../../http/caller.ts';
import type { Table } from '../../table/client.ts';
import type { Workspace } from '../../table/identity/workspaces.ts';
import type { LocalRepository } from '../../table/repositories/repositories.ts';
import type { PackagePublication } from './publication.ts';
import { publish } from './publish.ts';
import { publisherOf } from './publisher.ts';
import type { VersionContent, VersionTraits } from './version-content.ts';

/** The parts of a request that publishing needs: who publishes, and whose quota counts it. */
export interface PublishCall {
  readonly table: Table;
  readonly caller: Pick<Caller, 'actor'>;
  readonly workspace: Workspace;
}

/** What a request publishes: a version, as its type understands it, and what concerns this request. */
export type Publishing = VersionContent &
  Omit<PackagePublication, 'repository' | 'quota' | 'origin' | 'indexedIn' | 'hasOneSpelling' | 'isReplacing'>;

/** What the traits of a type make of a publication. */
const traitsOf = ({ firstSpellingWins, files, indexOf, replaces }: VersionTraits, content: VersionContent) => ({
  hasOneSpelling: firstSpellingWins,
  isOpen: files === 'one by one',
  isReplacing: replaces(content),
  ...(indexOf === 'repository' && { indexedIn: 'repository' as const }),
});

/** Publishes what the caller of a request sent, to the repository that takes it. Throws as `storePublication`. */
export const publishTo = async (
  { table, caller, workspace }: PublishCall,
  { versions }: { readonly versions: VersionTraits },
  target: LocalRepository,
  content: Publishing,
): Promise<void> => {
  const origin = { kind: 'published', by: publisherOf(caller) } as const;
  await publish(table, { repository: target, quota: workspace, origin, ...traitsOf(versions, content), ...content });
};
